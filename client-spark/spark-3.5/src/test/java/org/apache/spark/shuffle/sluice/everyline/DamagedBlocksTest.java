package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks that came as they were sent, and cannot be read: their map is run again, and no other. */
class DamagedBlocksTest {
  private static final int MAPS = 4;
  private static final int ROWS = 2_000;
  private static final int DAMAGED = 2;

  private final TaskLog log = new TaskLog();

  /** Without a codec it is the first row of each block whose length cannot be. */
  @ParameterizedTest
  @CsvSource({
    "lz4, false",
    "zstd, false",
    "snappy, false",
    "lz4, true",
    "none, true",
    "none, false"
  })
  void haveTheirMapRunAgain(String codec, boolean encrypted) throws Exception {
    SparkSession spark =
        SparkSide.heap(
            Map.of(
                "spark.sluice.codec",
                codec,
                "spark.io.encryption.enabled",
                String.valueOf(encrypted),
                // 4.x else removes a query's shuffles when it has ended.
                "spark.sql.classic.shuffleDependency.fileCleanup.enabled",
                "false"));
    try {
      spark.sparkContext().addSparkListener(log);
      Dataset<Row> rows =
          spark
              .range(0, ROWS, 1, MAPS)
              .selectExpr("id", "repeat(string(id), 5) as s")
              .repartition(3, col("id"));
      assertExact(rows);
      int before = log.finishedMaps(spark);

      HeapShuffleManager.currentStore().damage(0, DAMAGED, DamagedBlocksTest::flipped);
      assertExact(rows);

      assertThat(log.finishedMaps(spark) - before).as("maps that were run again").isEqualTo(1);
      assertThat(log.fetchFailures(spark)).isPositive();
      assertThat(log.failedTasks(spark)).isEqualTo(log.fetchFailures(spark));
    } finally {
      spark.stop();
    }
  }

  /** As with a wrong key: no map is run more often than Spark tries a stage. */
  @Test
  void thatNothingMendsEndTheJobAfterAsManyAttemptsAsSparkMakes() throws Exception {
    SparkSession spark =
        SparkSide.heap(
            Map.of("spark.stage.maxConsecutiveAttempts", "3", "spark.sluice.codec", "none"));
    try {
      spark.sparkContext().addSparkListener(log);
      HeapShuffleManager.currentStore().damageAlways(1, DamagedBlocksTest::flipped);
      // One reader: of two, the later may find the map gone already, and Spark says only that.
      assertThatThrownBy(() -> spark.range(0, 100, 1, 2).repartition(1).collectAsList())
          .hasMessageContaining("CORRUPT_BLOCK: shuffle 0, partition ")
          .hasMessageContaining(", map 1, attempt ");
      assertThat(log.finishedMaps(spark)).as("at first 2, then one each time").isEqualTo(2 + 2);
    } finally {
      spark.stop();
    }
  }

  private static byte[] flipped(byte[] stored) {
    if (stored.length > 0) {
      // Of a row's length the sign; of what codecs write, and of what is sealed, what they notice.
      stored[0] ^= (byte) 0x80;
      stored[stored.length / 2] ^= (byte) 0xFF;
    }
    return stored;
  }

  private static void assertExact(Dataset<Row> rows) {
    assertThat(rows.collectAsList().stream().map(row -> row.getLong(0)).sorted())
        .containsExactlyElementsOf(LongStream.range(0, ROWS).boxed().collect(Collectors.toList()));
  }
}
