package io.sluice.simulation.memory;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Native memory that simulations share one after another, in sizes of powers of two. What comes
 * back is overwritten, so that whoever reads it later reads nonsense.
 */
public final class DirectMemory {
  private static final byte[] SPOILT = new byte[1 << 12];

  static {
    Arrays.fill(SPOILT, (byte) 0xDB);
  }

  private static final int SMALLEST = 64;

  private final Map<Integer, ArrayDeque<ByteBuffer>> free = new HashMap<>();

  /** A direct big-endian buffer of exactly so many bytes, with arbitrary contents. */
  ByteBuffer take(int bytes) {
    int size = Math.max(SMALLEST, Integer.highestOneBit(Math.max(1, bytes - 1)) << 1);
    ArrayDeque<ByteBuffer> list = free.get(size);
    ByteBuffer whole = list == null ? null : list.poll();
    if (whole == null) {
      whole = ByteBuffer.allocateDirect(size);
    }
    return whole.clear().limit(bytes);
  }

  /** Takes back what {@link #take} gave. */
  void giveBack(ByteBuffer buffer) {
    spoil(buffer.clear(), 0, buffer.capacity());
    free.computeIfAbsent(buffer.capacity(), size -> new ArrayDeque<>()).push(buffer);
  }

  /** Overwrites bytes that nobody may read any more. */
  public static void spoil(ByteBuffer buffer, int offset, int length) {
    for (int done = 0; done < length; done += SPOILT.length) {
      buffer.put(offset + done, SPOILT, 0, Math.min(SPOILT.length, length - done));
    }
  }
}
