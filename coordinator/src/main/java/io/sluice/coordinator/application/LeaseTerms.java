package io.sluice.coordinator.application;

/** How often an application has to be heard of, and after which silence it ends; nanoseconds. */
public record LeaseTerms(long heartbeatIntervalNanos, long expiryNanos) {
  public LeaseTerms {
    if (heartbeatIntervalNanos <= 0 || expiryNanos <= heartbeatIntervalNanos) {
      throw new IllegalArgumentException(
          "heartbeat every " + heartbeatIntervalNanos + " ns, expiry after " + expiryNanos + " ns");
    }
  }
}
