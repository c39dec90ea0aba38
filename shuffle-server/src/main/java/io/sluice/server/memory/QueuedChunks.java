package io.sluice.server.memory;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the queue of one connection keeps from being freed: capacity of the chunks of each piece in
 * it, a chunk once for each piece that has part of it. So it is never less than what would be free
 * without the connection, and needs no look at who else reads the same. Above its mark the queue is
 * full, however few bytes there are to send.
 *
 * <p>A lease cannot be taken back; so what one connection may have does not depend on whether
 * others wait just then. What there can be is the mark and one piece more, and a piece keeps one
 * chunk or no more than a mark of its own. An empty queue is never full.
 *
 * <p>Pieces enter on the connection's event loop, and leave on any thread.
 */
public final class QueuedChunks {
  private static final int SHARE_OF_APPLICATION = 4;

  // Contiguous bytes of a piece lie in two chunks at most; two such pieces are what a socket's
  // queue takes before it is full, which is one more.
  private static final int MOST_PIECE = 2 * ChunkSize.MAX;
  private static final int MOST = 2 * MOST_PIECE;

  private final long mark;
  private final long pieceMark;
  private final Runnable onRoom;
  private final AtomicLong kept = new AtomicLong();
  private final AtomicBoolean awaited = new AtomicBoolean();

  /**
   * @param perApplication what the connection shares with others of its application, in bytes
   * @param onRoom runs once when a queue that was found full is so no more, on any thread; it must
   *     be short
   */
  QueuedChunks(long perApplication, Runnable onRoom) {
    this.mark = Math.min(MOST, perApplication / SHARE_OF_APPLICATION);
    this.pieceMark = Math.min(MOST_PIECE, mark / 2);
    this.onRoom = onRoom;
  }

  /** The most that can be in it. */
  public long most() {
    return mark + Math.max(pieceMark, ChunkSize.MAX);
  }

  /** What a piece of more than one chunk may keep at most. */
  public long pieceMark() {
    return pieceMark;
  }

  /** Whether nothing is to be added. If so, who asks is told when that has changed. */
  public boolean isFull() {
    if (kept.get() <= mark) {
      return false;
    }
    awaited.set(true);
    // What has left in between has found nobody to tell.
    return kept.get() > mark || !awaited.compareAndSet(true, false);
  }

  /** A piece has entered that keeps so much. */
  public void entered(long bytes) {
    kept.addAndGet(bytes);
  }

  /** It has left. */
  public void left(long bytes) {
    if (kept.addAndGet(-bytes) <= mark && awaited.compareAndSet(true, false)) {
      onRoom.run();
    }
  }

  @Override
  public String toString() {
    return kept + " of " + mark + " bytes kept";
  }
}
