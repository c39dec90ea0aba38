package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * What a map's objects may take of the heap, asked of Spark as its own collections ask: nothing at
 * first, then twice what they take, each time that this is reached. Used by the task's thread; as
 * Spark asks on any thread that one of them has memory given back, others are told that there is
 * none.
 */
final class ObjectMemory extends MemoryConsumer {
  private final Thread owner = Thread.currentThread();
  private final long unaccounted;
  private final Spill spill;

  /** Has objects leave the heap. */
  @FunctionalInterface
  interface Spill {
    /** False if that cannot be now; must not acquire task memory. */
    boolean spill() throws IOException;
  }

  /**
   * @param unaccounted bytes that Spark is not asked for
   * @param spill called where another consumer of the task needs the memory
   */
  ObjectMemory(TaskMemoryManager memory, long unaccounted, Spill spill) {
    super(memory, MemoryMode.ON_HEAP);
    this.unaccounted = unaccounted;
    this.spill = spill;
  }

  /** Whether so many bytes may be held, for which Spark is asked if need be. */
  boolean admits(long bytes) {
    long admitted = unaccounted + getUsed();
    if (bytes >= admitted) {
      acquireMemory(2 * bytes - admitted);
    }
    return bytes < unaccounted + getUsed();
  }

  /** Gives everything back. */
  void release() {
    freeMemory(getUsed());
  }

  @Override
  public long spill(long size, MemoryConsumer trigger) throws IOException {
    long held = getUsed();
    if (trigger == this || held == 0 || Thread.currentThread() != owner || !spill.spill()) {
      return 0;
    }
    return held - getUsed();
  }
}
