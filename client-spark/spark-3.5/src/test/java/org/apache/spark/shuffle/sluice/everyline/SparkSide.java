package org.apache.spark.shuffle.sluice.everyline;

import java.util.Map;
import java.util.function.Function;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sluice.LocalSpark;
import org.apache.spark.sql.SparkSession;

/**
 * Local Sparks, with our manager over servers in the heap or with Spark's own. A task that leaves
 * anything of its memory fails.
 */
public final class SparkSide {
  private SparkSide() {}

  /** What a job gives with our manager; the session ends with it. */
  public static <T> T throughHeap(Map<String, String> extra, Function<SparkSession, T> job) {
    return run(heap(extra), job);
  }

  /** What a job gives with Spark's own. */
  public static <T> T throughOwn(Map<String, String> extra, Function<SparkSession, T> job) {
    return run(start("sort", extra), job);
  }

  // To close a session may throw from 4.0 on, to stop it may not.
  private static <T> T run(SparkSession spark, Function<SparkSession, T> job) {
    try {
      return job.apply(spark);
    } finally {
      spark.stop();
    }
  }

  static SparkSession heap(Map<String, String> extra) {
    return start(HeapShuffleManager.class.getName(), extra);
  }

  private static SparkSession start(String manager, Map<String, String> extra) {
    SparkConf conf =
        LocalSpark.conf("local[2,3]")
            .set("spark.unsafe.exceptionOnMemoryLeak", "true")
            .set("spark.shuffle.manager", manager);
    if (!manager.equals("sort")) {
      conf.set("spark.sluice.coordinator.quorum", "localhost:1");
    }
    extra.forEach(
        (name, value) -> {
          if (!manager.equals("sort") || !name.startsWith("spark.sluice.")) {
            conf.set(name, value);
          }
        });
    return SparkSession.builder().config(conf).getOrCreate();
  }
}
