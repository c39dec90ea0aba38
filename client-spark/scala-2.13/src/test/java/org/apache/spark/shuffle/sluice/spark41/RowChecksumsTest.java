package org.apache.spark.shuffle.sluice.spark41;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.spark.Aggregator;
import org.apache.spark.HashPartitioner;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.ShuffleWriteProcessor;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.shuffle.sluice.everyline.HeapShuffleManager;
import org.apache.spark.shuffle.sluice.everyline.SparkSide;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.ThreadUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Function1;
import scala.Function2;
import scala.Option;
import scala.Tuple2;
import scala.concurrent.duration.Duration;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Spark tells by a checksum in a map's status whether it wrote other rows than the time before. */
class RowChecksumsTest {
  private static final int MAPS = 5;
  private static final int ROWS = 1000;
  private static final Duration PATIENCE = Duration.create(60, "s");

  private static final Map<String, String> CONF =
      Map.of(
          "spark.master", "local[1]",
          "spark.sql.adaptive.enabled", "false",
          "spark.sql.classic.shuffleDependency.fileCleanup.enabled", "false");

  @Test
  void rowsOfSqlHaveTheChecksumsOfSparksOwnShuffle() {
    assertSameChecksums(
        spark ->
            spark
                .range(0, ROWS, 1, MAPS)
                .selectExpr("id", "repeat('x', cast(id % 100 as int)) as text")
                .repartition(7, col("id"))
                .collectAsList());
  }

  /** Serialised at once, grouped by Spark's sorter, and combined by it. */
  @ParameterizedTest
  @ValueSource(strings = {"relocatable", "objects", "combined"})
  void recordsOfRddsHaveTheChecksumsOfSparksOwnShuffle(String kind) {
    assertSameChecksums(
        spark -> {
          Serializer serializer =
              kind.equals("relocatable")
                  ? new KryoSerializer(new SparkConf())
                  : new JavaSerializer(new SparkConf());
          ShuffleDependency<Integer, Integer, Integer> dependency =
              dependency(spark, serializer, kind.equals("combined"));
          awaitMaps(spark, dependency);
        });
  }

  private static void awaitMaps(SparkSession spark, ShuffleDependency<?, ?, ?> dependency) {
    try {
      ThreadUtils.awaitResult(spark.sparkContext().submitMapStage(dependency), PATIENCE);
    } catch (SparkException e) {
      throw new AssertionError(e);
    }
  }

  private static ShuffleDependency<Integer, Integer, Integer> dependency(
      SparkSession spark, Serializer serializer, boolean combined) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      numbers.add(i);
    }
    JavaPairRDD<Integer, Integer> records =
        new JavaSparkContext(spark.sparkContext())
            .parallelize(numbers, MAPS)
            .mapToPair(number -> new Tuple2<>(number % 50, number));
    Aggregator<Integer, Integer, Integer> sum =
        new Aggregator<>(
            (Function1<Integer, Integer> & Serializable) value -> value,
            (Function2<Integer, Integer, Integer> & Serializable) Integer::sum,
            (Function2<Integer, Integer, Integer> & Serializable) Integer::sum);
    RowBasedChecksum[] checksums = {new HashChecksum(), new HashChecksum(), new HashChecksum()};
    ClassTag<Integer> type = ClassTag$.MODULE$.apply(Integer.class);
    return new ShuffleDependency<>(
        records.rdd(),
        new HashPartitioner(checksums.length),
        serializer,
        Option.empty(),
        combined ? Option.apply(sum) : Option.empty(),
        combined,
        new ShuffleWriteProcessor(),
        checksums,
        false,
        false,
        type,
        type,
        type);
  }

  /** Of records whose hash says enough. */
  private static final class HashChecksum extends RowBasedChecksum {
    private static final long serialVersionUID = 1;

    @Override
    public long calculateRowChecksum(Object key, Object value) {
      return 31L * key.hashCode() + value.hashCode() * 0x9E3779B97F4A7C15L;
    }
  }

  private static void assertSameChecksums(Consumer<SparkSession> job) {
    Function<SparkSession, long[]> checked =
        spark -> {
          job.accept(spark);
          return checksums();
        };
    long[] ours = SparkSide.throughHeap(CONF, checked);
    assertThat(ours).isEqualTo(SparkSide.throughOwn(CONF, checked));
    assertThat(ours).hasSize(MAPS).doesNotHaveDuplicates().doesNotContain(0);
  }

  private static long[] checksums() {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    return Arrays.stream(tracker.shuffleStatuses().get(0).get().mapStatuses())
        .mapToLong(MapStatus::checksumValue)
        .toArray();
  }

  /**
   * A map is lost after one reader has read it, and gives its rows to other partitions when it runs
   * again. What that reader has written must be written again too, or rows are there twice and
   * others not at all.
   */
  @Test
  void whatHasReadOtherRowsOfAMapIsRunAgain() {
    List<Long> read = SparkSide.throughHeap(CONF, RowChecksumsTest::idsThroughALoss);
    assertThat(read.stream().mapToLong(id -> id).sorted())
        .containsExactlyElementsOf(LongStream.range(0, ROWS).boxed().toList());
  }

  private static List<Long> idsThroughALoss(SparkSession spark) {
    UDF1<Long, Long> shifted = id -> id + TaskContext.get().stageAttemptNumber();
    return spark
        .range(0, ROWS, 1, MAPS)
        .withColumn("place", udf(shifted, DataTypes.LongType).asNondeterministic().apply(col("id")))
        .repartition(4, col("place"))
        .javaRDD()
        .mapPartitionsToPair(
            rows -> {
              List<Tuple2<Long, Long>> all = new ArrayList<>();
              while (rows.hasNext()) {
                Row row = rows.next();
                all.add(new Tuple2<>(row.getLong(0), row.getLong(0)));
              }
              if (TaskContext.getPartitionId() == 0
                  && TaskContext.get().stageAttemptNumber() == 0) {
                HeapShuffleManager.currentStore().lose(0, 3);
              }
              return all.iterator();
            })
        .partitionBy(new HashPartitioner(3))
        .keys()
        .collect();
  }
}
