package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import io.sluice.transport.OutgoingData;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Bytes of a run on their way to a reader, straight from the chunks, with one lease on each. */
final class MemoryPiece implements OutgoingData {
  private final Chunk[] chunks;
  private final ByteBuffer[] buffers;
  private final int length;

  private MemoryPiece(Chunk[] chunks, ByteBuffer[] buffers, int length) {
    this.chunks = chunks;
    this.buffers = buffers;
    this.length = length;
  }

  @Override
  public ByteBuffer[] buffers() {
    return buffers;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public void close() {
    for (Chunk chunk : chunks) {
      chunk.release();
    }
  }

  /**
   * Collects ranges of chunks, taking a lease for each; adjacent ranges become one. Can be used
   * again for the next piece. One thread's.
   */
  static final class Builder {
    /** Ranges a piece may have: what one gathering write takes comfortably. */
    static final int MAX_RANGES = 64;

    private static final int INITIAL = 4;

    private @Nullable Chunk[] chunks = new Chunk[INITIAL];
    private int[] starts = new int[INITIAL];
    private int[] lengths = new int[INITIAL];
    private int count;
    private int length;

    int length() {
      return length;
    }

    boolean full() {
      return count == MAX_RANGES;
    }

    void add(Chunk chunk, int start, int bytes) {
      int last = count - 1;
      if (last >= 0 && chunks[last] == chunk && starts[last] + lengths[last] == start) {
        lengths[last] += bytes;
      } else {
        if (count == chunks.length) {
          chunks = Arrays.copyOf(chunks, count * 2);
          starts = Arrays.copyOf(starts, count * 2);
          lengths = Arrays.copyOf(lengths, count * 2);
        }
        chunk.retain();
        chunks[count] = chunk;
        starts[count] = start;
        lengths[count] = bytes;
        count++;
      }
      length += bytes;
    }

    /** Hands the leases over; the builder is empty afterwards. */
    MemoryPiece build() {
      ByteBuffer[] buffers = new ByteBuffer[count];
      for (int i = 0; i < count; i++) {
        buffers[i] = chunks[i].slice(starts[i], lengths[i]);
      }
      MemoryPiece piece = new MemoryPiece(Arrays.copyOf(chunks, count), buffers, length);
      Arrays.fill(chunks, 0, count, null);
      count = 0;
      length = 0;
      return piece;
    }
  }
}
