package org.apache.spark.shuffle.sluice.read;

import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.spare.Work;
import org.jspecify.annotations.Nullable;

/**
 * Has the next piece decoded on a core that no task uses, while the task is at the current one. The
 * task never waits for a job that has not begun: it takes that back, and decodes the piece itself,
 * as it does where no core is spare. A job decodes what has landed, and so ends without waiting for
 * anybody.
 *
 * <p>While a job is under way what it works on is the job's: the task's thread looks at it again
 * when it has taken the job back or seen it over. Used by one thread at a time.
 */
final class ReadAhead implements AutoCloseable {
  /**
   * Pieces that take less are decoded by the task. To hand one over costs the task some 10 µs for
   * waking a thread, and what another core has written is not in this one's cache: 256 KiB at 10
   * GB/s are 26 µs. A copy without a codec takes as much as that and LZ4, at 2 to 3 GB/s, three or
   * four times it; Zstandard at 1 GB/s ten times. Below 100 µs there is little to win.
   */
  static final long WORTH_NANOS = 100_000;

  private final PieceReader pieces;
  private final SpareCores cores;
  private @Nullable Work work;

  /**
   * @param pieces closed with this
   */
  ReadAhead(PieceReader pieces, SpareCores cores) {
    this.pieces = pieces;
    this.cores = cores;
  }

  /**
   * What is read. Not to be looked at after {@link #begin} until {@link #next} has returned or
   * thrown what reading failed of, or this is closed: a job may be at it, also after an interrupt.
   */
  PieceReader pieces() {
    return pieces;
  }

  /**
   * The next piece, or null if there is none. Throws what {@link PieceReader#next} does, here too
   * if it came up on another core.
   */
  @Nullable Piece next() throws InterruptedException {
    Work current = work;
    if (current != null && !current.reclaim()) {
      // What it throws stays: after a failure there is no next piece.
      current.await();
    }
    work = null;
    return pieces.next();
  }

  /** The task turns to a piece: another one may be decoded meanwhile. */
  void begin() {
    if (pieces.decodeNanos() >= WORTH_NANOS && pieces.hasLanded()) {
      work = cores.submit(pieces::prepare);
    }
  }

  /** Waits for a job that runs: as long as it takes to decode a piece. Never throws. */
  @Override
  public void close() {
    Work current = work;
    if (current != null) {
      current.abandon();
      work = null;
    }
    pieces.close();
  }
}
