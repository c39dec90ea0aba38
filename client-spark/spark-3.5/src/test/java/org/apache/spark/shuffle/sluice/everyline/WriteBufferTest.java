package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** How much memory map tasks collect records in. */
class WriteBufferTest {
  private static final long MIB = 1 << 20;

  // 64 MB as rows with their prefixes, and less than a quarter as much for entries.
  private static final long ROWS = 700_000;

  @Test
  void noMoreThanMakesFullBlocks() throws Exception {
    assertThat(peak(Map.of(), 4)).isBetween(15 * MIB, 20 * MIB);
    assertThat(peak(Map.of(), 200)).isBetween(42 * MIB, 52 * MIB);
  }

  @Test
  void noMoreThanIsConfigured() throws Exception {
    assertThat(peak(Map.of("spark.sluice.write.buffer", "2m"), 200)).isBetween(MIB, 2 * MIB);
  }

  private static long peak(Map<String, String> settings, int partitions) throws Exception {
    SparkSession spark = SparkSide.heap(settings);
    try {
      List<Long> peaks = new CopyOnWriteArrayList<>();
      spark
          .sparkContext()
          .addSparkListener(
              new SparkListener() {
                @Override
                public void onTaskEnd(SparkListenerTaskEnd end) {
                  if (end.taskType().equals("ShuffleMapTask")) {
                    peaks.add(end.taskMetrics().peakExecutionMemory());
                  }
                }
              });
      long rows =
          spark
              .range(0, ROWS, 1, 1)
              .selectExpr(
                  "id",
                  "id + 1 a",
                  "id + 2 b",
                  "id + 3 c",
                  "id + 4 d",
                  "id + 5 e",
                  "id + 6 f",
                  "id + 7 g",
                  "id + 8 h",
                  "id + 9 i")
              .repartition(partitions, col("id"))
              .toJavaRDD()
              .count();
      assertThat(rows).isEqualTo(ROWS);
      spark.sparkContext().listenerBus().waitUntilEmpty(30_000);
      return peaks.stream().mapToLong(Long::longValue).max().orElseThrow();
    } finally {
      spark.stop();
    }
  }
}
