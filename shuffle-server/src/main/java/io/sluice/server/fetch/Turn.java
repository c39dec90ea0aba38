package io.sluice.server.fetch;

/**
 * How much a connection's streams may look at before others get the event loop. Data needs no such
 * limit, since the socket has one; partitions that have nothing for a stream do: a request names a
 * million in 40 bytes. On the connection's event loop.
 */
final class Turn {
  /**
   * Looks for each turn: a partition, or a page of them that is not there. So many that coming back
   * in a task costs little beside them, and so few that nobody waits for longer than for a buffer
   * full of blocks to be copied.
   */
  private static final int LOOKS = 1_024;

  private int left;

  void begin() {
    left = LOOKS;
  }

  /** False if the turn is over. */
  boolean spend() {
    return left-- > 0;
  }

  boolean isOver() {
    return left <= 0;
  }
}
