package io.sluice.server.partition;

import io.sluice.server.memory.LeaseBudget;
import org.jspecify.annotations.Nullable;

/**
 * Pieces that have been sent and wait to be filled again, so that a stream of a GB does not leave
 * four thousand of them behind. Thread-safe: held for some ten nanoseconds, twice for 256 KiB.
 */
public final class MemoryPieces {
  /** More than are under way on a busy server; at a kilobyte each at most. */
  static final int KEPT_MAX = 1024;

  private @Nullable MemoryPiece first;
  private int kept;

  /**
   * An empty piece, the caller's, which closes it.
   *
   * @param reader out of whose budget its leases are
   */
  MemoryPiece take(LeaseBudget.Line reader) {
    synchronized (this) {
      MemoryPiece piece = first;
      if (piece != null) {
        first = piece.next;
        kept--;
        piece.reopen(reader);
        return piece;
      }
    }
    return new MemoryPiece(this, reader);
  }

  void giveBack(MemoryPiece piece) {
    synchronized (this) {
      if (kept < KEPT_MAX) {
        piece.next = first;
        first = piece;
        kept++;
      }
    }
  }
}
