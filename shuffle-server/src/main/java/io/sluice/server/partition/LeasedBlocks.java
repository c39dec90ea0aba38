package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import io.sluice.transport.OutgoingData;
import java.util.Arrays;

/**
 * Blocks that were stored one after another, wherever their partitions lie, to be sent to other
 * servers straight from their chunks. Holds one lease for each range of a chunk, so the bytes stay
 * although a flush may have moved the blocks to a disk meanwhile.
 *
 * <p>Filled by one thread, then handed on; safe to be read by several from then on.
 */
public final class LeasedBlocks implements AutoCloseable {
  private static final int INITIAL = 4;

  private Chunk[] chunks = new Chunk[INITIAL];
  private int[] starts = new int[INITIAL];
  private int[] lengths = new int[INITIAL];
  private int ranges;

  // By block: one past its last range, and its bytes.
  private int[] ends = new int[INITIAL];
  private int[] sizes = new int[INITIAL];
  private int blocks;
  private long bytes;

  /** A lease on part of the block that {@link #blockEnds} will count. */
  void add(Chunk chunk, int start, int length) {
    if (ranges == chunks.length) {
      chunks = Arrays.copyOf(chunks, ranges * 2);
      starts = Arrays.copyOf(starts, ranges * 2);
      lengths = Arrays.copyOf(lengths, ranges * 2);
    }
    chunk.retain();
    chunks[ranges] = chunk;
    starts[ranges] = start;
    lengths[ranges] = length;
    ranges++;
  }

  void blockEnds(int length) {
    if (blocks == ends.length) {
      ends = Arrays.copyOf(ends, blocks * 2);
      sizes = Arrays.copyOf(sizes, blocks * 2);
    }
    ends[blocks] = ranges;
    sizes[blocks] = length;
    blocks++;
    bytes += length;
  }

  public int blocks() {
    return blocks;
  }

  /** Of all blocks, headers included. */
  public long bytes() {
    return bytes;
  }

  /** Bytes of a block, its header included. */
  public int size(int block) {
    return sizes[block];
  }

  /** Blocks {@code [from, to)} back to back, with leases of its own. */
  public OutgoingData piece(int from, int to) {
    MemoryPiece piece = new MemoryPiece(null, null);
    for (int range = from == 0 ? 0 : ends[from - 1]; range < ends[to - 1]; range++) {
      piece.add(chunks[range], starts[range], lengths[range]);
    }
    return piece;
  }

  /** Ends the leases. */
  @Override
  public void close() {
    int held = ranges;
    ranges = 0;
    for (int range = 0; range < held; range++) {
      chunks[range].release();
    }
  }
}
