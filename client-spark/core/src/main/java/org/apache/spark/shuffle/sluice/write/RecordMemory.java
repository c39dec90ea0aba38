package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the records of a map lie in, by leave of Spark's task memory manager. On the heap pages are
 * arrays that stay from task to task ({@link TaskArrays}); off the heap they are Spark's own.
 * Entries are arrays on the heap always, so beside pages off the heap they are charged to the pool
 * of the heap, as another consumer, and are asked for when that is short. Used by the task's
 * thread.
 */
abstract class RecordMemory extends MemoryConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(RecordMemory.class);

  private final TaskMemoryManager memory;
  private final TaskArrays arrays;
  private final boolean onHeap;
  // Who arrays are charged to: this, or another consumer of the task if pages are off the heap.
  private final MemoryConsumer heap;

  // Counted here, since the field that Spark counts in is of another type from 4.2 on.
  private long pageBytes;

  /**
   * @param arrays lends arrays
   */
  RecordMemory(TaskMemoryManager memory, TaskArrays arrays) {
    super(memory, memory.pageSizeBytes(), memory.getTungstenMemoryMode());
    this.memory = memory;
    this.arrays = arrays;
    this.onHeap = memory.getTungstenMemoryMode() == MemoryMode.ON_HEAP;
    this.heap = onHeap ? this : new HeapBesidePages(memory);
  }

  /** What is on the heap while pages are not. */
  private final class HeapBesidePages extends MemoryConsumer {
    HeapBesidePages(TaskMemoryManager memory) {
      super(memory, MemoryMode.ON_HEAP);
    }

    /** Gives back all, pages too: entries are nothing without them. */
    @Override
    public long spill(long size, MemoryConsumer trigger) throws IOException {
      if (trigger == this) {
        return 0;
      }
      long before = getUsed();
      RecordMemory.this.spill(size, trigger);
      return before - getUsed();
    }
  }

  /**
   * An array with anything in it.
   *
   * @param bytes that it is accounted for with, until it is {@link #giveBack(long[], long) given
   *     back}
   * @return null if there is no memory for it
   */
  final long @Nullable [] take(int length, long bytes) {
    long granted = heap.acquireMemory(bytes);
    if (granted < bytes) {
      heap.freeMemory(granted);
      return null;
    }
    long[] array = takeGranted(length);
    if (array == null) {
      heap.freeMemory(bytes);
    }
    return array;
  }

  /**
   * An array with anything in it, that is accounted for already.
   *
   * @return null if the heap has less than Spark believes
   */
  final long @Nullable [] takeGranted(int length) {
    try {
      return arrays.take(length);
    } catch (OutOfMemoryError full) {
      // As where Spark refuses: what is held may be given back.
      LOG.warn("the heap has no {} bytes that Spark granted", (long) length * Long.BYTES, full);
      return null;
    }
  }

  final void giveBack(long[] array, long bytes) {
    heap.freeMemory(bytes);
    giveBackGranted(array);
  }

  /** Gives an array back, and nothing of what is accounted for. */
  final void giveBackGranted(long[] array) {
    arrays.giveBack(array);
  }

  /**
   * A page.
   *
   * @return null if there is no memory for it
   */
  final @Nullable MemoryBlock takePage(long bytes) {
    MemoryBlock page;
    if (onHeap) {
      int length = Math.toIntExact((bytes + Long.BYTES - 1) / Long.BYTES);
      long[] array = take(length, (long) length * Long.BYTES);
      page = array == null ? null : MemoryBlock.fromLongArray(array);
    } else {
      page = memory.allocatePage(bytes, this);
    }
    if (page != null) {
      pageBytes += page.size();
      if (page.size() < bytes) {
        giveBack(page);
        return null;
      }
    }
    return page;
  }

  final void giveBack(MemoryBlock page) {
    pageBytes -= page.size();
    if (onHeap && page.getBaseObject() instanceof long[]) {
      giveBack((long[]) page.getBaseObject(), page.size());
    } else {
      memory.freePage(page, this);
    }
  }

  /** Bytes of pages. */
  final long pageBytes() {
    return pageBytes;
  }

  /** Bytes of pages and entries, wherever they are. */
  final long heldBytes() {
    return getUsed() + (onHeap ? 0 : heap.getUsed());
  }

  /** What the task memory manager believes this to hold where the pages are. */
  @Override
  public long getUsed() {
    return super.getUsed() + (onHeap ? 0 : pageBytes);
  }
}
