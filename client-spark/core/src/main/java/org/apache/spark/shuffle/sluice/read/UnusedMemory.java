package org.apache.spark.shuffle.sluice.read;

import java.util.function.IntSupplier;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * What of an executor's memory on the heap nobody uses, and a task may have. Whoever asks Spark for
 * more than that waits for other tasks, has operators of his own task spill, or has cached blocks
 * dropped. Thread-safe.
 *
 * <p>Spark does not say how much that is, so it is reckoned from what it says. Both monitors are
 * Spark's own, taken in the order in which its task memory manager takes them: between the
 * reckoning and the taking nobody takes anything. Nobody works under them either: Spark's task
 * memory manager, which would have operators spill for what it is refused, is asked for what it
 * gets.
 */
final class UnusedMemory {
  private final MemoryManager executor;
  private final IntSupplier tasks;
  private final TaskMemoryManager task;
  private final long attemptId;

  /**
   * @param tasks that share the memory, at least 1: that many are left a part each. Spark may know
   *     of more of them, and then grants each less.
   * @param attemptId of the task
   */
  UnusedMemory(MemoryManager executor, IntSupplier tasks, TaskMemoryManager task, long attemptId) {
    this.executor = executor;
    this.tasks = tasks;
    this.task = task;
    this.attemptId = attemptId;
  }

  /**
   * Takes so many bytes, or as many as are unused.
   *
   * @param consumer of the task
   * @return bytes taken
   */
  long take(long bytes, MemoryConsumer consumer) {
    int sharing = tasks.getAsInt();
    synchronized (task) {
      synchronized (executor) {
        long granted = granted(Math.min(bytes, unused(sharing)));
        return granted == 0 ? 0 : consumer.acquireMemory(granted);
      }
    }
  }

  /**
   * What Spark would grant of it: less where more tasks have memory than share it here. It is taken
   * past the task's manager, which would have the others of the task spill for the rest, and given
   * back. Spark neither waits nor drops cached blocks for it, since so much is free.
   */
  private long granted(long bytes) {
    if (bytes <= 0) {
      return 0;
    }
    long granted = executor.acquireExecutionMemory(bytes, attemptId, MemoryMode.ON_HEAP);
    executor.releaseExecutionMemory(granted, attemptId, MemoryMode.ON_HEAP);
    return granted;
  }

  private long unused(int sharing) {
    long free = executor.maxOnHeapStorageMemory() - executor.onHeapStorageMemoryUsed();
    long part = (free + executor.onHeapExecutionMemoryUsed()) / sharing;
    return Math.min(
        free, part - executor.onHeapExecutionMemoryPool().getMemoryUsageForTask(attemptId));
  }
}
