package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A growing stream of bytes over chunks, each filled before the next is begun, so that blocks lie
 * back to back and may straddle chunks.
 */
final class SharedChunks {
  private static final int INITIAL = 2;

  private Chunk[] chunks = new Chunk[INITIAL];
  private int[] starts = new int[INITIAL];
  private int count;
  private int capacity;
  private int used;
  // Where the next byte goes, once there is room: a chunk, known beside the arrays so that an
  // append need not visit them, and where it begins.
  private int filling;
  private @Nullable Chunk current;
  private int currentStart;

  /** Bytes appended so far. */
  int used() {
    return used;
  }

  int capacity() {
    return capacity;
  }

  void append(ByteBuffer bytes, int offset, int length, ChunkSource source) {
    while (capacity - used < length) {
      add(source.next(capacity, length - (capacity - used)));
    }
    int done = 0;
    while (done < length) {
      Chunk chunk = current;
      if (chunk == null) {
        chunk = chunks[filling];
        current = chunk;
        currentStart = starts[filling];
      }
      int within = used - currentStart;
      int part = Math.min(length - done, chunk.capacity() - within);
      chunk.put(within, bytes, offset + done, part);
      done += part;
      used += part;
      if (within + part == chunk.capacity()) {
        filling++;
        current = null;
      }
    }
  }

  /** Leases bytes that were appended. */
  void lease(int position, int length, LeasedBlocks into) {
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

  /** The chunk that the byte at a position lies in. */
  int chunkAt(int position) {
    int found = Arrays.binarySearch(starts, 0, count, position);
    return found >= 0 ? found : -found - 2;
  }

  Chunk chunk(int at) {
    return chunks[at];
  }

  int start(int at) {
    return starts[at];
  }

  byte get(int position) {
    int at = chunkAt(position);
    return chunks[at].get(position - starts[at]);
  }

  void copyTo(int position, int length, ByteBuffer target) {
    int at = chunkAt(position);
    int from = position;
    int left = length;
    while (left > 0) {
      int within = from - starts[at];
      int part = Math.min(left, chunks[at].capacity() - within);
      chunks[at].copyTo(within, target, part);
      from += part;
      left -= part;
      at++;
    }
  }

  void release() {
    for (int i = 0; i < count; i++) {
      chunks[i].release();
    }
  }
}
