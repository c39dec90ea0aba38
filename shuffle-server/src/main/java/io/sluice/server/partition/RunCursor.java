package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.LeaseBudget;
import io.sluice.transport.OutgoingData;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reader's way through a run: the blocks it had when the fetch came, in the order they were
 * appended, restricted to a range of maps. When the run is flushed under way, {@link #remainder}
 * names what has not been sent yet in terms of the extent. Used by one thread.
 */
public final class RunCursor {
  private final Object lock;
  private final MemoryRun run;
  private final int limit;
  private final MapRange maps;
  private int block;
  private int within;
  // Where the current block begins if it is shared, and the first of its chunks if it is not.
  private int sharedPosition;
  private int ownChunk;
  private int bytesAhead;
  private long blocksPassed;
  private int refused;

  /** To be called under the partition's lock. */
  RunCursor(Object lock, MemoryRun run, MapRange maps) {
    this.lock = lock;
    this.run = run;
    this.limit = run.blocks();
    this.maps = maps;
    this.bytesAhead = run.bytes();
  }

  /** Upper bound of the bytes still to come. */
  public int bytesAhead() {
    return bytesAhead;
  }

  /** Wanted blocks whose last byte has been handed out by {@link #next}. */
  public long blocksPassed() {
    return blocksPassed;
  }

  /**
   * Leases the next bytes.
   *
   * @param max at least 1
   * @param pieces what is handed out comes from there
   * @param reader out of whose budget the leases are
   * @return at most {@code max} bytes, more than none, for the caller to close; null at the end of
   *     the run, if there is no room for a lease, and if it is no longer in memory ({@link
   *     #refused} and {@link #flushed} tell which)
   */
  public @Nullable OutgoingData next(int max, MemoryPieces pieces, LeaseBudget.Line reader) {
    refused = 0;
    MemoryPiece piece = pieces.take(reader);
    synchronized (lock) {
      if (run.inMemory()) {
        collect(piece, max);
      }
    }
    if (piece.length() == 0) {
      piece.close();
      return null;
    }
    piece.enterQueue();
    return piece;
  }

  /** Capacity of the chunk that there was no room to lease in the last {@link #next}, or 0. */
  public int refused() {
    return refused;
  }

  /**
   * Has something run once the blocks leave memory, by a flush or a removal; on any thread, outside
   * the partition's lock.
   *
   * @return false if they have
   */
  public boolean whenMoved(Runnable task) {
    synchronized (lock) {
      return run.whenMoved(task);
    }
  }

  /** Has it run no more; harmless if it has. */
  public void forget(Runnable task) {
    synchronized (lock) {
      run.forget(task);
    }
  }

  private void collect(MemoryPiece piece, int max) {
    while (block < limit && refused == 0 && piece.length() < max && !piece.full()) {
      if (maps.contains(run.mapIndex(block))) {
        collectBlock(piece, max);
      } else {
        pass();
      }
    }
  }

  private void collectBlock(MemoryPiece piece, int max) {
    int length = run.length(block);
    while (within < length && refused == 0 && piece.length() < max && !piece.full()) {
      int wanted = Math.min(length - within, max - piece.length());
      int taken = run.ownChunks(block) ? addOwn(wanted, piece) : addShared(wanted, piece);
      within += taken;
      bytesAhead -= taken;
    }
    if (within == length) {
      blocksPassed++;
      bytesAhead += length; // pass() takes the whole block off
      pass();
    }
  }

  private int addShared(int wanted, MemoryPiece piece) {
    int position = sharedPosition + within;
    int at = run.chunkAt(position);
    Chunk chunk = run.chunk(at);
    int start = position - run.start(at);
    int bytes = Math.min(wanted, chunk.capacity() - start);
    return add(chunk, start, bytes, piece);
  }

  private int addOwn(int wanted, MemoryPiece piece) {
    int start = within;
    int at = ownChunk;
    while (start >= run.own(at).capacity()) {
      start -= run.own(at).capacity();
      at++;
    }
    Chunk chunk = run.own(at);
    return add(chunk, start, Math.min(wanted, chunk.capacity() - start), piece);
  }

  private int add(Chunk chunk, int start, int bytes, MemoryPiece piece) {
    if (piece.add(chunk, start, bytes)) {
      return bytes;
    }
    refused = piece.full() ? 0 : chunk.capacity();
    return 0;
  }

  private void pass() {
    int length = run.length(block);
    if (run.ownChunks(block)) {
      ownChunk = run.afterOwn(ownChunk, length);
    } else {
      sharedPosition += length;
    }
    bytesAhead -= length;
    within = 0;
    block++;
  }

  /** Whether the run has left memory; what is left is then {@link #remainder}. */
  public boolean flushed() {
    synchronized (lock) {
      return !run.inMemory();
    }
  }

  /** The extent that holds the run now; null if its shuffle was removed. After the flush only. */
  public @Nullable StoredExtent stored() {
    synchronized (lock) {
      return run.stored();
    }
  }

  /**
   * What of the extent has not been handed out: first the rest of a block begun, then the wanted
   * blocks that follow in append order, by their places in the extent, adjacent ones as one range.
   * After the flush only; ends the use of {@link #next}.
   */
  public List<ExtentRange> remainder() {
    int[] order;
    synchronized (lock) {
      order = run.order();
    }
    if (order == null) {
      throw new IllegalStateException("the run has no extent");
    }
    List<ExtentRange> ranges = new ArrayList<>();
    int offset = 0;
    int from = -1;
    for (int moved : order) {
      int length = run.length(moved);
      boolean begun = moved == block && within > 0;
      boolean wanted =
          moved >= block && moved < limit && !begun && maps.contains(run.mapIndex(moved));
      if (begun) {
        ranges.add(0, new ExtentRange(offset + within, length - within));
      }
      if (wanted && from < 0) {
        from = offset;
      } else if (!wanted && from >= 0) {
        ranges.add(new ExtentRange(from, offset - from));
        from = -1;
      }
      offset += length;
    }
    if (from >= 0) {
      ranges.add(new ExtentRange(from, offset - from));
    }
    return ranges;
  }

  /** Whether {@link #remainder} begins within a block. */
  public boolean begun() {
    return within > 0;
  }

  /** Wanted blocks that {@link #remainder} covers, a begun one included. */
  public long blocksLeft() {
    long left = 0;
    for (int i = block; i < limit; i++) {
      if (maps.contains(run.mapIndex(i))) {
        left++;
      }
    }
    return left;
  }
}
