package io.sluice.coordinator.membership;

/** After how many nanoseconds of silence a server is suspect, and lost. */
public record SilenceLimits(long suspectAfterNanos, long lostAfterNanos) {
  public SilenceLimits {
    if (suspectAfterNanos <= 0 || lostAfterNanos <= suspectAfterNanos) {
      throw new IllegalArgumentException(
          "suspect after " + suspectAfterNanos + " ns, lost after " + lostAfterNanos + " ns");
    }
  }
}
