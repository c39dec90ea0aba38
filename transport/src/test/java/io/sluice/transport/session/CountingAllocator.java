package io.sluice.transport.session;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Knows the largest buffer asked for, and what has not been released. */
final class CountingAllocator extends AbstractByteBufAllocator {
  // Counting finds every leak for certain, and sooner than the leak detector, which is slow.
  private final UnpooledByteBufAllocator delegate = new UnpooledByteBufAllocator(true, true);
  private int largest;

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    largest = Math.max(largest, initialCapacity);
    return delegate.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    largest = Math.max(largest, initialCapacity);
    return delegate.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }

  int largest() {
    return largest;
  }

  long bytesHeld() {
    return delegate.metric().usedDirectMemory() + delegate.metric().usedHeapMemory();
  }
}
