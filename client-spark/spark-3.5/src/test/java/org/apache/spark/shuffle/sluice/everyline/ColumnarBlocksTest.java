package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Batches of columns behind a serializer of their own, which is all that a columnar plug-in shows
 * of itself: each arrives once, in its partition, as with Spark's own shuffle.
 */
class ColumnarBlocksTest {
  private static final int MAPS = 4;
  private static final int BATCHES = 300;

  /** Batches from nothing to three times what a map task may buffer. */
  @ParameterizedTest
  @CsvSource({
    "true, 7, lz4, false",
    "false, 7, lz4, false",
    "true, 7, none, true",
    "false, 7, none, true",
  })
  void batchesOfAMakerThatUsesThemAgain(
      boolean relocatable, int partitions, String codec, boolean encrypted) {
    Map<String, String> conf =
        Map.of(
            "spark.sluice.block.size",
            "16k",
            "spark.sluice.write.buffer",
            "1m",
            "spark.sluice.codec",
            codec,
            "spark.io.encryption.enabled",
            String.valueOf(encrypted));
    assertEqual(conf, relocatable, partitions, true);
  }

  /** More partitions than Spark's own writer has files open: it keeps objects of such streams. */
  @ParameterizedTest
  @CsvSource({"true, 230", "false, 230"})
  void batchesForManyPartitions(boolean relocatable, int partitions) {
    assertEqual(Map.of("spark.sluice.block.size", "16k"), relocatable, partitions, false);
  }

  /** As many as Spark's own writer was told to serialise at once, so that it keeps no objects. */
  @ParameterizedTest
  @CsvSource({"230, 230", "300, 1000"})
  void batchesOfAMakerThatUsesThemAgainForManyPartitions(int partitions, int threshold) {
    Map<String, String> conf =
        Map.of("spark.shuffle.sort.bypassMergeThreshold", String.valueOf(threshold));
    assertEqual(conf, false, partitions, true);
  }

  private static void assertEqual(
      Map<String, String> conf, boolean relocatable, int partitions, boolean used) {
    Function<SparkSession, List<String>> job =
        spark -> batches(spark, relocatable, partitions, used);
    List<String> ours = SparkSide.throughHeap(conf, job);
    assertThat(ours).isEqualTo(SparkSide.throughOwn(conf, job));
    assertThat(ours).hasSize(MAPS * (used ? BATCHES - BATCHES / 10 : BATCHES));
  }

  /** What each partition gets, in words. */
  private static List<String> batches(
      SparkSession spark, boolean relocatable, int partitions, boolean used) {
    JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
    JavaPairRDD<Integer, Batch> made =
        context
            .parallelize(IntStream.range(0, MAPS).boxed().collect(Collectors.toList()), MAPS)
            .mapPartitionsToPair(map -> new Making(map.next(), partitions, used));
    ClassTag<Integer> key = ClassTag$.MODULE$.apply(Integer.class);
    ClassTag<Batch> value = ClassTag$.MODULE$.apply(Batch.class);
    ShuffledRDD<Integer, Batch, Batch> shuffled =
        new ShuffledRDD<Integer, Batch, Batch>(
                made.rdd(), new GivenPartition(partitions), key, value, value)
            .setSerializer(new BatchSerializer(relocatable));
    return shuffled.toJavaRDD().mapPartitions(ColumnarBlocksTest::described).collect().stream()
        .sorted()
        .collect(Collectors.toList());
  }

  private static Iterator<String> described(Iterator<Tuple2<Integer, Batch>> batches) {
    List<String> described = new ArrayList<>();
    // As an operator does that asks for more before it has used what it has.
    boolean more = batches.hasNext();
    while (more) {
      Batch batch = batches.next()._2();
      more = batches.hasNext();
      described.add(TaskContext.getPartitionId() + ": " + batch);
    }
    return described.iterator();
  }

  /** A map task's batches. */
  private static final class Making implements Iterator<Tuple2<Integer, Batch>> {
    private final int map;
    private final int partitions;
    private final boolean used;
    private Batch batch = new Batch();
    private int made;

    /**
     * @param used whether one batch serves for all, and some are empty
     */
    Making(int map, int partitions, boolean used) {
      this.map = map;
      this.partitions = partitions;
      this.used = used;
    }

    @Override
    public boolean hasNext() {
      return made < BATCHES;
    }

    @Override
    public Tuple2<Integer, Batch> next() {
      if (used) {
        batch.spoil();
      } else {
        batch = new Batch();
      }
      boolean empty = used && made % 10 == 3;
      int rows = empty ? 0 : 1 + made % 97;
      batch.fill((long) map * BATCHES * 100 + made * 100L, rows, empty ? 0 : bytes());
      return new Tuple2<>((made++ * 7 + map) % partitions, batch);
    }

    /** Mostly less than a block, sometimes several blocks, now and then more than the buffer. */
    private int bytes() {
      if (used && made % 100 == 50) {
        return 3 << 20;
      }
      return made % 20 == 7 ? 90_000 : made % 13 * 400;
    }
  }

  /** Keys are partitions, as exchanges have them. */
  private static final class GivenPartition extends Partitioner {
    private static final long serialVersionUID = 1;
    private final int partitions;

    GivenPartition(int partitions) {
      this.partitions = partitions;
    }

    @Override
    public int numPartitions() {
      return partitions;
    }

    @Override
    public int getPartition(Object key) {
      return (Integer) key;
    }
  }
}
