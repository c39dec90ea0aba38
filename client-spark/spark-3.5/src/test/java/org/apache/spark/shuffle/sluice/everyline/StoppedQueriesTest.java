package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streaming queries are stopped by an interrupt, whatever they wait for. */
@Timeout(120)
class StoppedQueriesTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void oneThatWaitsForItsShufflesPlaceHasNotFailed() throws Exception {
    SparkSession spark = SparkSide.heap(Map.of(HeapShuffleManager.WAITS, "true"));
    try {
      StreamingQuery query =
          spark
              .readStream()
              .format("rate")
              .load()
              .repartition(3)
              .writeStream()
              .format("noop")
              .option("checkpointLocation", folder.toString())
              .start();
      HeapShuffleManager.awaitWaiting();
      query.stop();
      assertThat(query.exception().isEmpty()).as("stopped").isTrue();
    } finally {
      spark.stop();
    }
  }
}
