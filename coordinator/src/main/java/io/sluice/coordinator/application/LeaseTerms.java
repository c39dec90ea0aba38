package io.sluice.coordinator.application;

import java.util.concurrent.TimeUnit;

/** How often an application has to be heard of, and after which silence it ends; nanoseconds. */
public record LeaseTerms(long heartbeatIntervalNanos, long expiryNanos) {
  public LeaseTerms {
    if (heartbeatIntervalNanos <= 0 || expiryNanos <= heartbeatIntervalNanos) {
      throw new IllegalArgumentException(
          "heartbeat every " + heartbeatIntervalNanos + " ns, expiry after " + expiryNanos + " ns");
    }
  }

  /** The same for an application that wants a lease of so many milliseconds, if that is longer. */
  public LeaseTerms atLeast(long leaseMillis) {
    long leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    if (leaseNanos <= expiryNanos) {
      return this;
    }
    // As many heartbeats in a lease as others have.
    double longer = (double) leaseNanos / expiryNanos;
    return new LeaseTerms((long) (heartbeatIntervalNanos * longer), leaseNanos);
  }
}
