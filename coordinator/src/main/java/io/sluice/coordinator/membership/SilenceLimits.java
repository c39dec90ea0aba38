package io.sluice.coordinator.membership;

/**
 * What silence means, in nanoseconds.
 *
 * @param suspectAfterNanos of a server that did not say that it stops
 * @param lostAfterNanos the same
 * @param restartGraceNanos after which one is lost that said that it stops
 */
public record SilenceLimits(long suspectAfterNanos, long lostAfterNanos, long restartGraceNanos) {
  public SilenceLimits {
    if (suspectAfterNanos <= 0
        || lostAfterNanos <= suspectAfterNanos
        || restartGraceNanos < lostAfterNanos) {
      throw new IllegalArgumentException(
          "suspect after "
              + suspectAfterNanos
              + " ns, lost after "
              + lostAfterNanos
              + " ns, restart grace "
              + restartGraceNanos
              + " ns");
    }
  }
}
