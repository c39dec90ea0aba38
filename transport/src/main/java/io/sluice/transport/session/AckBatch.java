package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.sluice.transport.frame.AckRanges;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.util.Arrays;

/**
 * Answers about blocks, merged into ranges until they are sent. Blocks answered one by one in order
 * make one range, so a read of many blocks costs one small frame.
 */
final class AckBatch {
  private static final int INITIAL_CAPACITY = 8;

  private final FrameType type;
  private long[] firsts = new long[INITIAL_CAPACITY];
  private int[] counts = new int[INITIAL_CAPACITY];
  private long[] refunds = new long[INITIAL_CAPACITY];
  private int code;
  private int size;

  AckBatch(FrameType type) {
    this.type = type;
  }

  /** Sets what NACK names from here on; the batch must be empty. */
  void code(int number) {
    code = number;
  }

  /** The caller flushes first if the batch is full. */
  void add(long first, int count, long refund) {
    int last = size - 1;
    if (last >= 0 && firsts[last] + counts[last] == first && fits(counts[last], count)) {
      counts[last] += count;
      refunds[last] += refund;
      return;
    }
    if (size == firsts.length) {
      int capacity = Math.min(2 * size, AckRanges.MAX_PER_FRAME);
      firsts = Arrays.copyOf(firsts, capacity);
      counts = Arrays.copyOf(counts, capacity);
      refunds = Arrays.copyOf(refunds, capacity);
    }
    firsts[size] = first;
    counts[size] = count;
    refunds[size] = refund;
    size++;
  }

  private static boolean fits(int a, int b) {
    return (long) a + b <= Integer.MAX_VALUE;
  }

  boolean isFull() {
    return size == AckRanges.MAX_PER_FRAME;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    size = 0;
  }

  int code() {
    return code;
  }

  /** Appends the frame of what was added. The batch is empty afterwards. */
  void write(ByteBuf out) {
    Frames.ranges(out, type, code, size);
    for (int i = 0; i < size; i++) {
      out.writeLong(firsts[i]).writeInt(counts[i]).writeLong(refunds[i]);
    }
    size = 0;
  }
}
