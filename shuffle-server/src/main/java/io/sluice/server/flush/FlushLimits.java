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
 */
public record FlushLimits(
    long startBytes, long aimBytes, long pressureBytes, int unitBytes, long retryNanos) {
  static final int MAX_RETRY_DOUBLINGS = 6;

  /** Shares of an arena that suit most: half, three eighths, three quarters. */
  public static FlushLimits ofArena(long arenaBytes, int unitBytes, long retryNanos) {
    return new FlushLimits(
        arenaBytes / 2, arenaBytes * 3 / 8, arenaBytes * 3 / 4, unitBytes, retryNanos);
  }
}
