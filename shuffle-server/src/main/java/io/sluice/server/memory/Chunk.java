package io.sluice.server.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the arena. Given out with one lease; its memory goes back when the last lease ends,
 * and the object with it, to be some other piece later: nobody may look at it any more. Leases are
 * thread-safe; the bytes are not guarded here.
 */
public final class Chunk {
  // One object for each chunk and no more: there is one for each 4 KiB at worst.
  private static final AtomicLongFieldUpdater<Chunk> LEASES =
      AtomicLongFieldUpdater.newUpdater(Chunk.class, "leases");

  // All leases in the lower half, those of readers once more in the upper one: so that a reader's
  // lease costs no more than another's.
  private static final int READERS = Integer.SIZE;
  private static final long READERS_LEASE = (1L << READERS) + 1;

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
  private volatile long leases = 1;

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
    requireLeased(LEASES.getAndIncrement(this));
  }

  /**
   * One more lease, for a reader, out of the budget for them; to be ended by {@link #takeBack}. As
   * for {@link #retain}, and for one caller at a time: under the partition's lock.
   *
   * @return false if there is no room for a chunk that no reader has yet
   */
  public boolean lend(LeaseBudget.Line reader) {
    long seen = LEASES.getAndAdd(this, READERS_LEASE);
    requireLeased(seen);
    if (seen >>> READERS == 0 && !reader.take(capacity())) {
      LEASES.getAndAdd(this, -READERS_LEASE);
      return false;
    }
    return true;
  }

  /**
   * Fails if it has no lease, and so may be another piece already; a glance, which also brings the
   * object near.
   *
   * @throws IllegalStateException then
   */
  public void requireLeased() {
    requireLeased(leases);
  }

  private static void requireLeased(long seen) {
    if ((int) seen <= 0) {
      throw new IllegalStateException("chunk was used after its last lease ended");
    }
  }

  /** Ends one lease. */
  public void release() {
    freeIfLast(LEASES.decrementAndGet(this));
  }

  /** Ends a reader's lease. */
  public void takeBack(LeaseBudget.Line reader) {
    // Once the lease has ended the object may be another piece.
    int bytes = capacity();
    long left = LEASES.addAndGet(this, -READERS_LEASE);
    freeIfLast(left);
    if (left >>> READERS == 0) {
      reader.giveBack(bytes);
    }
  }

  private void freeIfLast(long left) {
    if (isLast(left)) {
      arena.free(this);
    }
  }

  private static boolean isLast(long left) {
    if ((int) left < 0) {
      throw new IllegalStateException("chunk was released more often than leased");
    }
    return (int) left == 0;
  }

  /**
   * Ends one lease of each, as {@link #release} does, but gives all that end to the arena at once.
   *
   * @param chunks of one arena; the array is used up
   * @param count of them, the first ones
   */
  public static void releaseAll(Chunk[] chunks, int count) {
    int ended = 0;
    for (int i = 0; i < count; i++) {
      Chunk chunk = chunks[i];
      if (isLast(LEASES.decrementAndGet(chunk))) {
        chunks[ended++] = chunk;
      }
    }
    if (ended > 0) {
      chunks[0].arena.free(chunks, ended);
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
