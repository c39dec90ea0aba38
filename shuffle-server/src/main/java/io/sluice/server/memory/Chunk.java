package io.sluice.server.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the arena. Given out with one lease; its memory goes back when the last lease ends,
 * and the object with it, to be some other piece later: nobody may look at it any more. Leases are
 * thread-safe; the bytes are not guarded here.
 */
public final class Chunk {
  // One object for each chunk and no more: there is one for each 4 KiB at worst.
  private static final AtomicIntegerFieldUpdater<Chunk> LEASES =
      AtomicIntegerFieldUpdater.newUpdater(Chunk.class, "leases");

  private final ChunkArena arena;
  // What paid for it.
  private MemoryBudget budget;
  private Slab slab;
  private ByteBuffer memory;
  private int base;
  private int level;
  private int node;

  /** Another that is no piece now; the arena's. */
  @Nullable Chunk spare;

  @SuppressWarnings("UnusedVariable") // used through its updater
  private volatile int leases = 1;

  Chunk(ChunkArena arena, MemoryBudget budget, Slab slab, int level, int node) {
    this.arena = arena;
    this.budget = budget;
    this.slab = slab;
    this.memory = slab.buffer;
    this.base = node * ChunkSize.ofLevel(level);
    this.level = level;
    this.node = node;
  }

  /** Makes it another piece, with one lease. Under the arena's lock; it has no lease. */
  void become(MemoryBudget payer, Slab of, int ofLevel, int ofNode) {
    budget = payer;
    slab = of;
    memory = of.buffer;
    base = ofNode * ChunkSize.ofLevel(ofLevel);
    level = ofLevel;
    node = ofNode;
    leases = 1;
  }

  public int capacity() {
    return ChunkSize.ofLevel(level);
  }

  /** Copies {@code length} bytes of {@code source} from {@code from} to {@code at} of the chunk. */
  public void put(int at, ByteBuffer source, int from, int length) {
    requireWithin(at, length);
    memory.put(base + at, source, from, length);
  }

  /** Appends {@code length} bytes to {@code target} at its position, which moves on. */
  public void copyTo(int at, ByteBuffer target, int length) {
    requireWithin(at, length);
    int position = target.position();
    target.put(position, memory, base + at, length);
    target.position(position + length);
  }

  /** A view of the bytes; valid only while a lease is held. */
  public ByteBuffer slice(int at, int length) {
    requireWithin(at, length);
    return memory.slice(base + at, length);
  }

  /** Where its bytes are, with those of others; {@link #base} says where in it they begin. */
  public ByteBuffer memory() {
    return memory;
  }

  /** The place of its first byte in {@link #memory}. */
  public int base() {
    return base;
  }

  public byte get(int at) {
    requireWithin(at, 1);
    return memory.get(base + at);
  }

  /** One more lease; only for a caller that knows that another one is held meanwhile. */
  public void retain() {
    int seen = LEASES.getAndIncrement(this);
    if (seen <= 0) {
      throw new IllegalStateException("chunk was leased after its last lease ended");
    }
  }

  /** Ends one lease. */
  public void release() {
    int left = LEASES.decrementAndGet(this);
    if (left == 0) {
      arena.free(this);
    } else if (left < 0) {
      throw new IllegalStateException("chunk was released more often than leased");
    }
  }

  MemoryBudget budget() {
    return budget;
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

  private void requireWithin(int at, int length) {
    // A slip here would write into a neighbour's blocks, so it is checked in production too.
    if ((at | length) < 0 || at > capacity() - length) {
      throw new IndexOutOfBoundsException(
          length + " bytes at " + at + " of a chunk of " + capacity());
    }
  }
}
