package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Holds a header or small body that arrives in more than one piece. Allocates nothing until that
 * happens, and never more than was announced and checked.
 */
final class Carry implements AutoCloseable {
  private static final int MIN_CAPACITY = 64;
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);

  private final ByteBufAllocator alloc;
  private ByteBuf memory;
  private ByteBuffer view = NONE;
  private int filled;

  Carry(ByteBufAllocator alloc) {
    this.alloc = alloc;
    this.memory = Unpooled.EMPTY_BUFFER;
  }

  boolean isEmpty() {
    return filled == 0;
  }

  /**
   * Takes bytes of a piece until {@code target} are held.
   *
   * @return how many were taken
   */
  int fill(ByteBuffer in, int position, int end, int target) {
    if (view.capacity() < target) {
      grow(target);
    }
    int taken = Math.min(target - filled, end - position);
    for (int i = 0; i < taken; i++) {
      view.put(filled + i, in.get(position + i));
    }
    filled += taken;
    return taken;
  }

  boolean holds(int target) {
    return filled == target;
  }

  /** What is held, from index 0. Valid until the next fill. */
  ByteBuffer view() {
    return view;
  }

  void clear() {
    filled = 0;
  }

  private void grow(int target) {
    int capacity = Math.max(MIN_CAPACITY, target);
    ByteBuf larger = alloc.directBuffer(capacity, capacity);
    ByteBuffer largerView = larger.nioBuffer(0, capacity);
    for (int i = 0; i < filled; i++) {
      largerView.put(i, view.get(i));
    }
    memory.release();
    memory = larger;
    view = largerView;
  }

  @Override
  public void close() {
    memory.release();
    memory = Unpooled.EMPTY_BUFFER;
    view = NONE;
    filled = 0;
  }
}
