package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

/** Map tasks that are killed and not interrupted, as those of a cancelled job are by default. */
class KilledMapsTest {
  private static final int KEYS = 20_000;
  private static final AtomicInteger WRITTEN = new AtomicInteger();

  /** The first that is serialised has its task killed; attempts after that one live. */
  private static final class Fatal implements Serializable {
    private static final long serialVersionUID = 1;

    private void writeObject(ObjectOutputStream out) throws IOException {
      TaskContext task = TaskContext.get();
      if (task.attemptNumber() == 0 && WRITTEN.getAndIncrement() == 0) {
        task.markInterrupted("on purpose");
      }
      out.defaultWriteObject();
    }
  }

  /** Combined on the map side, nothing is serialised before the sorter has everything. */
  @Test
  void pushNoMoreThanABlockOfWhatTheyHaveCombined() {
    WRITTEN.set(0);
    SparkSession spark = SparkSide.heap(Map.of("spark.sluice.block.size", "16k"));
    try {
      long count =
          new JavaSparkContext(spark.sparkContext())
              .parallelize(IntStream.range(0, KEYS).boxed().collect(Collectors.toList()), 1)
              .mapToPair(key -> new Tuple2<>(key, new Fatal()))
              .reduceByKey((one, other) -> one, 2)
              .count();
      assertThat(count).as("of the second attempt").isEqualTo(KEYS);
      assertThat(WRITTEN.get()).as("by the first one").isBetween(1, KEYS / 10);
      assertThat(HeapShuffleManager.currentStore().openOutputs()).isZero();
    } finally {
      spark.stop();
    }
  }
}
