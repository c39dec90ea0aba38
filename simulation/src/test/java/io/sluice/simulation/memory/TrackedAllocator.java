package io.sluice.simulation.memory;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The buffers of one process. Exact where Netty's leak detector samples garbage: a buffer is live
 * until its last reference is released, and nothing may be live when everything has ended.
 */
public final class TrackedAllocator extends AbstractByteBufAllocator {
  private final DirectMemory memory;
  private final Set<Tracked> live = new LinkedHashSet<>();

  public TrackedAllocator(DirectMemory memory) {
    super(true);
    this.memory = memory;
  }

  /** Buffers with references to them. */
  public int liveBuffers() {
    return live.size();
  }

  /** What the exit of a process does to its memory. */
  public void freeAll() {
    for (Tracked buffer : List.copyOf(live)) {
      buffer.release(buffer.refCnt());
    }
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    Tracked buffer = new Tracked(this, memory.take(initialCapacity), maxCapacity);
    live.add(buffer);
    return buffer;
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }

  private static final class Tracked extends UnpooledDirectByteBuf {
    private final TrackedAllocator owner;
    private final ByteBuffer initial;

    Tracked(TrackedAllocator owner, ByteBuffer initial, int maxCapacity) {
      super(owner, initial, maxCapacity);
      this.owner = owner;
      this.initial = initial;
      clear();
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      owner.live.remove(this);
      owner.memory.giveBack(initial);
    }

    // ByteBufs are equal by content; here each is itself.
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }
}
