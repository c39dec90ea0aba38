package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The blocks of a run in the order they were appended, and the bytes of those that came whole: back
 * to back over chunks, each filled before the next is begun, so that a block may straddle chunks.
 *
 * <p>The index is one long for each block, no objects. Positions are prefix sums of lengths, kept
 * by whoever walks.
 *
 * <pre>
 * bits 63..32 mapIndex   bit 31 lies in chunks of its own   bits 30..0 length in bytes
 * </pre>
 *
 * <p>A run is one of these and does not have one: with thousands of partitions each object that an
 * append has to visit is a miss of the cache ({@code docs/benchmarks/storage.md}). For the same
 * reason it knows where the next byte goes without looking at the chunk. Guarded as the run is.
 */
abstract class RunBlocks {
  private static final long OWN_CHUNKS = 1L << 31;
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);
  private static final int INITIAL_BLOCKS = 4;
  private static final int INITIAL_CHUNKS = 2;
  // Up to here a run has room at once for as much as the one before it: 240 bytes in all, so that a
  // partition with a run stays within TableBudget.PARTITION_BYTES.
  private static final int EXPECTED_BLOCKS_MAX = 16;
  private static final int EXPECTED_CHUNKS_MAX = 8;

  private long[] entries;
  private int blocks;
  // Where the next byte goes, while there is room: a place in the memory that a chunk is of.
  private int room;
  private int place;
  private ByteBuffer memory = NONE;
  // Appended so far, and as many as the chunks hold.
  private int used;
  private int capacity;
  private Chunk[] chunks;
  private int[] starts;
  private int count;
  // The chunk to be filled after this one.
  private int next;

  /**
   * @param expectedBlocks as many as the run before had, for which there is room at once: tables
   *     that grow are garbage, and misses of the cache again
   * @param expectedChunks likewise
   */
  RunBlocks(int expectedBlocks, int expectedChunks) {
    entries = new long[within(INITIAL_BLOCKS, expectedBlocks, EXPECTED_BLOCKS_MAX)];
    int places = within(INITIAL_CHUNKS, expectedChunks, EXPECTED_CHUNKS_MAX);
    chunks = new Chunk[places];
    starts = new int[places];
  }

  private static int within(int min, int expected, int max) {
    return Math.min(max, Math.max(min, expected));
  }

  public final int blocks() {
    return blocks;
  }

  final int mapIndex(int block) {
    return (int) (entries[block] >>> 32);
  }

  final int length(int block) {
    return (int) entries[block] & Integer.MAX_VALUE;
  }

  /** Whether the block arrived in parts and lies in chunks of its own. */
  final boolean ownChunks(int block) {
    return (entries[block] & OWN_CHUNKS) != 0;
  }

  final void note(int mapIndex, int length, boolean ownChunks) {
    if (blocks == entries.length) {
      entries = Arrays.copyOf(entries, blocks * 2);
    }
    entries[blocks++] = (long) mapIndex << 32 | (ownChunks ? OWN_CHUNKS : 0) | length;
  }

  /** Copies a block behind the one before it. */
  final void copy(ByteBuffer bytes, int offset, int length, ChunkSource source) {
    while (capacity - used < length) {
      add(source.next(capacity, length - (capacity - used)));
    }
    int done = 0;
    while (done < length) {
      if (room == 0) {
        begin(chunks[next++]);
      }
      int part = Math.min(length - done, room);
      memory.put(place, bytes, offset + done, part);
      place += part;
      room -= part;
      done += part;
    }
    used += length;
  }

  private void begin(Chunk chunk) {
    memory = chunk.memory();
    place = chunk.base();
    room = chunk.capacity();
  }

  private void add(Chunk chunk) {
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, count * 2);
      starts = Arrays.copyOf(starts, count * 2);
    }
    chunks[count] = chunk;
    starts[count] = capacity;
    count++;
    capacity += chunk.capacity();
  }

  /** Bytes copied so far. */
  final int used() {
    return used;
  }

  /** Leases bytes that were copied. */
  final void leaseCopied(int position, int length, LeasedBlocks into) {
    int at = chunkAt(position);
    int from = position;
    int left = length;
    while (left > 0) {
      int within = from - starts[at];
      int part = Math.min(left, chunks[at].capacity() - within);
      into.add(chunks[at], within, part);
      from += part;
      left -= part;
      at++;
    }
  }

  /**
   * Appends copied bytes to a buffer. A chunk is looked at before the one in front of it is copied,
   * and not only to check it: the object is a miss of the cache, which is waited for together with
   * those of the bytes.
   */
  final void copyTo(int position, int length, ByteBuffer target) {
    int at = chunkAt(position);
    Chunk chunk = chunks[at];
    int within = position - starts[at];
    int left = length;
    while (left > 0) {
      int part = Math.min(left, chunk.capacity() - within);
      Chunk copied = chunk;
      if (part < left) {
        chunk = chunks[++at];
        chunk.requireLeased();
      }
      copied.copyTo(within, target, part);
      within = 0;
      left -= part;
    }
  }

  /** The chunk that the copied byte at a position lies in. */
  final int chunkAt(int position) {
    int found = Arrays.binarySearch(starts, 0, count, position);
    return found >= 0 ? found : -found - 2;
  }

  /** Chunks of blocks that were copied. */
  final int chunks() {
    return count;
  }

  final Chunk chunk(int at) {
    return chunks[at];
  }

  /** The position of a chunk's first byte. */
  final int start(int at) {
    return starts[at];
  }

  /** Ends the run's leases; the copied bytes are not there any more. */
  final void releaseCopied() {
    Chunk.releaseAll(chunks, count);
    count = 0;
    memory = NONE;
  }
}
