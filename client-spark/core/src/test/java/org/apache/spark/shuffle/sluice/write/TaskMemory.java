package org.apache.spark.shuffle.sluice.write;

import java.util.Properties;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.resource.ResourceInformation;
import scala.collection.immutable.Map$;

/** Spark's real task memory, in any size. */
public final class TaskMemory {
  private TaskMemory() {}

  public static TaskMemoryManager ofBytes(long bytes) {
    return new TaskMemoryManager(manager(bytes, false), 7);
  }

  static TaskMemoryManager offHeapOfBytes(long bytes) {
    return new TaskMemoryManager(manager(bytes, true), 7);
  }

  /** A task that has this memory. */
  public static TaskContextImpl task(TaskMemoryManager memory) {
    return new TaskContextImpl(
        0,
        0,
        0,
        7,
        0,
        1,
        memory,
        new Properties(),
        null,
        TaskMetrics.empty(),
        1,
        Map$.MODULE$.<String, ResourceInformation>empty());
  }

  /** What {@code bytes} of heap, and as many off it, are granted from. */
  static UnifiedMemoryManager manager(long bytes, boolean offHeap) {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.buffer.pageSize", "1m")
            .set("spark.memory.offHeap.enabled", String.valueOf(offHeap))
            .set("spark.memory.offHeap.size", String.valueOf(bytes));
    return new UnifiedMemoryManager(conf, bytes, 0, 1);
  }

  /** Another operator of the same task, which only takes memory. */
  static final class Greedy extends MemoryConsumer {
    Greedy(TaskMemoryManager memory) {
      this(memory, memory.getTungstenMemoryMode());
    }

    Greedy(TaskMemoryManager memory, MemoryMode mode) {
      super(memory, mode);
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) {
      return 0;
    }
  }
}
