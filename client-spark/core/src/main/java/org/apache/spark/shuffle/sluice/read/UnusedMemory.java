package org.apache.spark.shuffle.sluice.read;

import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * What of an executor's memory on the heap nobody uses, and a task may have. Whoever asks Spark for
 * more than that waits for other tasks, has operators of his own task spill, or has cached blocks
 * dropped. Thread-safe.
 *
 * <p>Spark does not say how much that is, so it is reckoned from what it says. Both monitors are
 * Spark's own, taken in the order in which its task memory manager takes them: between the
 * reckoning and the taking nobody takes anything.
 */
final class UnusedMemory {
  private final MemoryManager executor;
  private final int tasks;
  private final TaskMemoryManager task;
  private final long attemptId;

  /**
   * @param tasks that share the memory, at most: Spark lets each have its part
   * @param attemptId of the task
   */
  UnusedMemory(MemoryManager executor, int tasks, TaskMemoryManager task, long attemptId) {
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
    synchronized (task) {
      synchronized (executor) {
        long asked = Math.min(bytes, unused());
        return asked <= 0 ? 0 : consumer.acquireMemory(asked);
      }
    }
  }

  private long unused() {
    long free = executor.maxOnHeapStorageMemory() - executor.onHeapStorageMemoryUsed();
    long part = (free + executor.onHeapExecutionMemoryUsed()) / tasks;
    return Math.min(
        free, part - executor.onHeapExecutionMemoryPool().getMemoryUsageForTask(attemptId));
  }
}
