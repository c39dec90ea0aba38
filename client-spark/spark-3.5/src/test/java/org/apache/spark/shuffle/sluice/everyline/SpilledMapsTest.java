package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.Tuple2;

/**
 * Maps whose operators take the memory that their records lie in, as sorts and hash maps do: what
 * there is has to be pushed early, and nothing goes to an executor's disk.
 */
class SpilledMapsTest {
  private static final int MAPS = 2;
  private static final int ROWS = 40_000;
  private static final int TEXTS = 10_000;
  private static final long MIB = 1L << 20;

  /** In which way records are written. */
  private enum Written {
    ROWS_OF_SQL("Java", 7),
    RELOCATABLE("Kryo", 7),
    STREAMED("Java", 7),
    GROUPED("Java", 201),
    COMBINED("Java", 7);

    private final String serializer;
    private final int partitions;

    Written(String serializer, int partitions) {
      this.serializer = serializer;
      this.partitions = partitions;
    }

    Map<String, String> conf() {
      return Map.of(
          "spark.master",
          "local[1]",
          "spark.sql.adaptive.enabled",
          "false",
          "spark.serializer",
          "org.apache.spark.serializer." + serializer + "Serializer",
          // What Spark's own sorter has without asking, too.
          "spark.shuffle.spill.initialMemoryThreshold",
          "64k");
    }
  }

  /** When an operator of the map has the task's memory. */
  private enum Taken {
    NEVER,
    NOW_AND_THEN,
    THROUGHOUT
  }

  @ParameterizedTest
  @EnumSource
  void pushWhenTheirMemoryIsAskedForAndWhenTheyGetNoMore(Written how) throws Exception {
    List<String> own = SparkSide.throughOwn(how.conf(), spark -> shuffled(spark, how, Taken.NEVER));
    SparkSession spark = SparkSide.heap(how.conf());
    try {
      for (Taken taken : List.of(Taken.NOW_AND_THEN, Taken.THROUGHOUT)) {
        TaskLog log = new TaskLog();
        spark.sparkContext().addSparkListener(log);
        assertThat(shuffled(spark, how, taken)).isEqualTo(own);
        assertPushedEarly(log.finishedMapMetrics(spark));
        spark.sparkContext().removeSparkListener(log);
      }
    } finally {
      spark.stop();
    }
  }

  private static void assertPushedEarly(List<TaskMetrics> maps) {
    assertThat(maps).hasSize(MAPS);
    assertThat(maps).allMatch(map -> map.memoryBytesSpilled() > 0);
    assertThat(maps).allMatch(map -> map.diskBytesSpilled() == 0);
  }

  /** Each text as often as it is there, in order. */
  private static List<String> shuffled(SparkSession spark, Written how, Taken taken) {
    if (how == Written.ROWS_OF_SQL) {
      return sorted(
          spark
              .range(0, ROWS, 1, MAPS)
              .mapPartitions(
                  (MapPartitionsFunction<Long, String>) rows -> new Crowded(rows, taken),
                  Encoders.STRING())
              .repartition(how.partitions, col("value"))
              .collectAsList());
    }
    JavaPairRDD<String, Integer> given =
        new JavaSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()), MAPS)
            .mapPartitions(rows -> new Crowded(rows, taken))
            .mapToPair(text -> new Tuple2<>(text, 1));
    if (how == Written.COMBINED) {
      return sorted(
          given
              .reduceByKey(Integer::sum, how.partitions)
              .map(text -> text._1() + text._2())
              .collect());
    }
    return sorted(given.partitionBy(new HashPartitioner(how.partitions)).keys().collect());
  }

  private static List<String> sorted(List<String> rows) {
    List<String> sorted = new ArrayList<>(rows);
    sorted.sort(null);
    return sorted;
  }

  /** Texts, each several times, given by an operator that takes memory from whoever has it. */
  private static final class Crowded extends MemoryConsumer implements Iterator<String> {
    private static final int PAUSE = 3_000;
    private static final long LEFT = MIB;

    private final Iterator<? extends Number> rows;
    private final Taken taken;
    private int given;

    Crowded(Iterator<? extends Number> rows, Taken taken) {
      super(TaskContext.get().taskMemoryManager(), MemoryMode.ON_HEAP);
      this.rows = rows;
      this.taken = taken;
      if (taken == Taken.THROUGHOUT) {
        takeAll();
        freeMemory(LEFT);
      }
    }

    private void takeAll() {
      assertThat(acquireMemory(1L << 40)).isGreaterThan(LEFT);
    }

    @Override
    public boolean hasNext() {
      if (!rows.hasNext()) {
        freeMemory(getUsed());
      }
      return rows.hasNext();
    }

    @Override
    public String next() {
      if (taken == Taken.NOW_AND_THEN && ++given % PAUSE == 0) {
        takeAll();
        freeMemory(getUsed());
      }
      return (rows.next().intValue() % TEXTS + " ").repeat(100).substring(0, 100);
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) {
      return 0;
    }
  }
}
