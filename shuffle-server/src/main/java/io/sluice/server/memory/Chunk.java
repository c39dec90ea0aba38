package io.sluice.server.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A piece of the arena. Born with one lease; its memory goes back when the last lease ends. Leases
 * are thread-safe; the bytes are not guarded here.
 */
public final class Chunk {
  private final ChunkArena arena;
  private final Slab slab;
  private final int level;
  private final int node;
  private final AtomicInteger leases = new AtomicInteger(1);

  Chunk(ChunkArena arena, Slab slab, int level, int node) {
    this.arena = arena;
    this.slab = slab;
    this.level = level;
    this.node = node;
  }

  public int capacity() {
    return ChunkSize.ofLevel(level);
  }

  /** Copies {@code length} bytes of {@code source} from {@code from} to {@code at} of the chunk. */
  public void put(int at, ByteBuffer source, int from, int length) {
    requireWithin(at, length);
    slab.buffer.put(base() + at, source, from, length);
  }

  /** Appends {@code length} bytes to {@code target} at its position, which moves on. */
  public void copyTo(int at, ByteBuffer target, int length) {
    requireWithin(at, length);
    int position = target.position();
    target.put(position, slab.buffer, base() + at, length);
    target.position(position + length);
  }

  /** A view of the bytes; valid only while a lease is held. */
  public ByteBuffer slice(int at, int length) {
    requireWithin(at, length);
    return slab.buffer.slice(base() + at, length);
  }

  public byte get(int at) {
    requireWithin(at, 1);
    return slab.buffer.get(base() + at);
  }

  /** One more lease; only for a caller that knows that another one is held meanwhile. */
  public void retain() {
    int seen = leases.getAndIncrement();
    if (seen <= 0) {
      throw new IllegalStateException("chunk was leased after its last lease ended");
    }
  }

  /** Ends one lease. */
  public void release() {
    int left = leases.decrementAndGet();
    if (left == 0) {
      arena.free(this);
    } else if (left < 0) {
      throw new IllegalStateException("chunk was released more often than leased");
    }
  }

  Slab slab() {
    return slab;
  }

  int level() {
    return level;
  }

  int node() {
    return node;
  }

  private int base() {
    return node * ChunkSize.ofLevel(level);
  }

  private void requireWithin(int at, int length) {
    // A slip here would write into a neighbour's blocks, so it is checked in production too.
    if ((at | length) < 0 || at > capacity() - length) {
      throw new IndexOutOfBoundsException(
          length + " bytes at " + at + " of a chunk of " + capacity());
    }
  }
}
