package io.sluice.server.flush;

/**
 * When to flush. All in bytes of chunks in use, but for the unit and the delay.
 *
 * @param startBytes above this, full units are written
 * @param aimBytes flushing goes on down to this
 * @param pressureBytes above this, units are written although they are not full
 * @param unitBytes payload that makes a full unit
 * @param retryNanos first delay before a disk that failed is tried again; doubles each time,
 *     {@value #MAX_RETRY_DOUBLINGS} times at most
 * @param tiers which disks take it
 */
public record FlushLimits(
    long startBytes,
    long aimBytes,
    long pressureBytes,
    int unitBytes,
    long retryNanos,
    TierLimits tiers) {
  static final int MAX_RETRY_DOUBLINGS = 6;

  /** With the usual tiers. */
  public FlushLimits(
      long startBytes, long aimBytes, long pressureBytes, int unitBytes, long retryNanos) {
    this(startBytes, aimBytes, pressureBytes, unitBytes, retryNanos, TierLimits.defaults());
  }

  /** The same with other tiers. */
  public FlushLimits withTiers(TierLimits other) {
    return new FlushLimits(startBytes, aimBytes, pressureBytes, unitBytes, retryNanos, other);
  }

  /**
   * From where flushing starts, as a share of the arena: it goes on down to three quarters of that,
   * and is urgent from halfway between there and a full arena.
   */
  public static FlushLimits ofArena(
      long arenaBytes, double startShare, int unitBytes, long retryNanos) {
    long start = (long) (arenaBytes * startShare);
    return new FlushLimits(
        start, start / 4 * 3, start + (arenaBytes - start) / 2, unitBytes, retryNanos);
  }
}
