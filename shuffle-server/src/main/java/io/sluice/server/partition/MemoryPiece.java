package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.LeaseBudget;
import io.sluice.transport.OutgoingData;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a run on their way to a reader, straight from the chunks, with one lease on each range
 * of them; adjacent ranges are one. Filled by one thread, then handed on. Closed, it goes back to
 * where it came from, to be filled again.
 */
final class MemoryPiece implements OutgoingData {
  /** Ranges a piece may have: what one gathering write takes comfortably. */
  static final int MAX_RANGES = 64;

  private static final int INITIAL = 4;

  // The next one that waits to be used; the pool's.
  @Nullable MemoryPiece next;

  private final @Nullable MemoryPieces pool;
  // The reader whose leases they are, if one's.
  private LeaseBudget.@Nullable Line reader;
  private @Nullable Chunk[] chunks = new Chunk[INITIAL];
  private int[] starts = new int[INITIAL];
  private int[] lengths = new int[INITIAL];
  private int count;
  private int length;
  // Capacity of the chunks, and how much of it the reader's queue has been told of.
  private long kept;
  private long entered;
  // Whether a chunk was one too many.
  private boolean keepsMost;
  private boolean closed;

  /**
   * @param pool where it goes in the end, if anywhere
   * @param reader out of whose budget the leases are, if it is for a reader
   */
  MemoryPiece(@Nullable MemoryPieces pool, LeaseBudget.@Nullable Line reader) {
    this.pool = pool;
    this.reader = reader;
  }

  /** Whether it takes no other range. */
  boolean full() {
    return count == MAX_RANGES || keepsMost;
  }

  /** It is filled, and its reader's: counts as part of its queue until it is closed. */
  void enterQueue() {
    if (reader != null) {
      entered = kept;
      reader.queue().entered(kept);
    }
  }

  /**
   * Adds a range of a chunk, and takes a lease on it.
   *
   * @return false if it is {@link #full} already, or there is no room for a lease
   */
  boolean add(Chunk chunk, int start, int bytes) {
    int last = count - 1;
    boolean same = last >= 0 && chunks[last] == chunk;
    if (same && starts[last] + lengths[last] == start) {
      lengths[last] += bytes;
    } else if (!addRange(chunk, same, start, bytes)) {
      return false;
    }
    length += bytes;
    return true;
  }

  /**
   * @param same whether the range before is of the same chunk
   */
  private boolean addRange(Chunk chunk, boolean same, int start, int bytes) {
    int more = same ? 0 : chunk.capacity();
    if (count > 0 && more > 0 && keepsTooMuch(kept + more)) {
      keepsMost = true;
      return false;
    }
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, count * 2);
      starts = Arrays.copyOf(starts, count * 2);
      lengths = Arrays.copyOf(lengths, count * 2);
    }
    if (!lease(chunk)) {
      return false;
    }
    chunks[count] = chunk;
    starts[count] = start;
    lengths[count] = bytes;
    count++;
    kept += more;
    return true;
  }

  private boolean keepsTooMuch(long bytes) {
    return reader != null && bytes > reader.queue().pieceMark();
  }

  private boolean lease(Chunk chunk) {
    if (reader != null) {
      return chunk.lend(reader);
    }
    chunk.retain();
    return true;
  }

  @Override
  public ByteBuffer[] buffers() {
    ByteBuffer[] buffers = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      buffers[i] = chunk(i).slice(starts[i], lengths[i]);
    }
    return buffers;
  }

  @Override
  public int ranges() {
    return count;
  }

  @Override
  public ByteBuffer memory(int range) {
    return chunk(range).memory();
  }

  @Override
  public int start(int range) {
    return chunk(range).base() + starts[range];
  }

  @Override
  public int length(int range) {
    return lengths[range];
  }

  @Override
  public int length() {
    return length;
  }

  private Chunk chunk(int range) {
    Chunk chunk = chunks[range];
    if (chunk == null) {
      throw new IllegalStateException("no range " + range + " of " + count);
    }
    return chunk;
  }

  /** To be filled again. */
  void reopen(LeaseBudget.Line by) {
    reader = by;
    count = 0;
    length = 0;
    kept = 0;
    entered = 0;
    keepsMost = false;
    closed = false;
    next = null;
  }

  @Override
  public void close() {
    if (closed) {
      throw new IllegalStateException("piece closed twice");
    }
    closed = true;
    for (int i = 0; i < count; i++) {
      if (reader != null) {
        chunk(i).takeBack(reader);
      } else {
        chunk(i).release();
      }
      chunks[i] = null;
    }
    LeaseBudget.Line lent = reader;
    long left = entered;
    reader = null;
    if (pool != null) {
      pool.giveBack(this);
    }
    if (lent != null && left > 0) {
      lent.queue().left(left);
    }
  }
}
