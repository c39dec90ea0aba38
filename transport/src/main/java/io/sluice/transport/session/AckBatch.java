package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.frame.AckRanges;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;

/**
 * Answers about blocks, merged into ranges until they are sent. Blocks answered one by one in order
 * make one range, so a read of many blocks costs one small frame.
 */
final class AckBatch {
  private final FrameType type;
  private final int code;
  private final long[] firsts = new long[AckRanges.MAX_PER_FRAME];
  private final int[] counts = new int[AckRanges.MAX_PER_FRAME];
  private final long[] refunds = new long[AckRanges.MAX_PER_FRAME];
  private int size;

  /**
   * @param code what NACK names; 0 for ACK
   */
  AckBatch(FrameType type, int code) {
    this.type = type;
    this.code = code;
  }

  /** The caller flushes first if the batch is full. */
  void add(long first, int count, long refund) {
    int last = size - 1;
    if (last >= 0 && firsts[last] + counts[last] == first && fits(counts[last], count)) {
      counts[last] += count;
      refunds[last] += refund;
      return;
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
    return size == firsts.length;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int code() {
    return code;
  }

  /** The frame of what was added; the caller owns it. The batch is empty afterwards. */
  ByteBuf take(ByteBufAllocator alloc) {
    ByteBuf frame = Frames.ranges(alloc, type, code, size);
    for (int i = 0; i < size; i++) {
      frame.writeLong(firsts[i]).writeInt(counts[i]).writeLong(refunds[i]);
    }
    size = 0;
    return frame;
  }
}
