package io.sluice.server.flush;

/**
 * When extents fall to a lower tier (docs/tiers.md).
 *
 * @param watermark share of a store in use, by whomever, above which it counts as crowded
 * @param hugePartitionBytes a partition with as many bytes in stores goes on in the lowest tier
 */
public record TierLimits(double watermark, long hugePartitionBytes) {
  /** A store is fit again when its use has come down by this share below the watermark. */
  static final double HYSTERESIS = 0.05;

  /** Nine tenths, as file systems slow down beyond; no partition is huge. */
  public static TierLimits defaults() {
    return new TierLimits(0.9, Long.MAX_VALUE);
  }
}
