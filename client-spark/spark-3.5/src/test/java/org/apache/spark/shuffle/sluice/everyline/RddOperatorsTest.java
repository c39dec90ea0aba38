package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.KryoRegistrator;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;

/** What operators of RDDs give, however records are serialised, compressed and encrypted. */
class RddOperatorsTest {
  private static final int PAIRS = 6_000;
  private static final int KEYS = 700;

  private static List<String> own = List.of();

  /** One whose records are not to change places: each refers to those before it. */
  public static final class WithoutReset implements KryoRegistrator {
    @Override
    public void registerClasses(Kryo kryo) {
      kryo.setAutoReset(false);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Java, none, false, true",
    "Java, zstd, true, false",
    "Kryo, snappy, false, true",
    "Kryo, lzf, true, false",
    "WithoutReset, lz4, false, false",
    "WithoutReset, none, true, false"
  })
  void giveWhatTheyGiveOverSparksOwnShuffle(
      String serializer, String codec, boolean encrypted, boolean spillsCompressed) {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.io.encryption.enabled", String.valueOf(encrypted));
    // Of what Spark's sorters spill behind us.
    conf.put("spark.shuffle.spill.compress", String.valueOf(spillsCompressed));
    conf.put("spark.shuffle.compress", String.valueOf(!codec.equals("none")));
    if (!codec.equals("none")) {
      conf.put("spark.io.compression.codec", codec);
    }
    if (!serializer.equals("Java")) {
      conf.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    }
    if (serializer.equals("WithoutReset")) {
      conf.put("spark.kryo.registrator", WithoutReset.class.getName());
    }
    // So that sorters spill, and maps push many times, objects too.
    conf.put("spark.shuffle.spill.numElementsForceSpillThreshold", "500");
    conf.put("spark.sluice.write.buffer", "1m");
    conf.put("spark.sluice.block.size", "16k");
    assertThat(SparkSide.throughHeap(conf, RddOperatorsTest::results)).isEqualTo(own);
  }

  /** How Spark's own shuffle serialises, compresses and encrypts is not seen in what they give. */
  @BeforeAll
  static void overSparksOwnShuffle() {
    own = SparkSide.throughOwn(Map.of(), RddOperatorsTest::results);
  }

  private static List<String> results(SparkSession spark) {
    JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
    JavaPairRDD<String, String> pairs =
        context
            .parallelize(IntStream.range(0, PAIRS).boxed().collect(Collectors.toList()), 5)
            .mapToPair(i -> new Tuple2<>("k" + i * 7919 % KEYS, value(i)));
    JavaPairRDD<String, String> few = pairs.filter(pair -> pair._1().endsWith("1"));
    List<String> results = new ArrayList<>();
    add(results, "sortByKey", ordered(pairs.sortByKey(false, 4).keys().collect()));
    add(
        results,
        "aggregateByKey",
        sorted(pairs.aggregateByKey(0, 3, (n, v) -> n + v.length(), Integer::sum).collect()));
    // Without combining on the map side, and in the order of keys.
    add(
        results,
        "sorted aggregate",
        ordered(
            pairs
                .mapValues(String::length)
                .reduceByKey(new HashPartitioner(4), Integer::sum)
                .sortByKey(true, 3)
                .collect()));
    add(
        results,
        "combineByKey",
        sorted(
            pairs
                .combineByKey(
                    String::length,
                    (n, v) -> n + v.length(),
                    Integer::sum,
                    new HashPartitioner(6),
                    false,
                    null)
                .collect()));
    add(
        results,
        "groupByKey",
        sorted(pairs.groupByKey(7).mapValues(RddOperatorsTest::digest).collect()));
    add(
        results,
        "cogroup",
        sorted(
            pairs
                .cogroup(few, 5)
                .mapValues(both -> digest(both._1()) + " " + digest(both._2()))
                .collect()));
    add(results, "join", sorted(few.join(few, 3).mapValues(v -> v.hashCode()).collect()));
    add(results, "subtractByKey", sorted(pairs.subtractByKey(few, 4).keys().collect()));
    add(results, "distinct", sorted(pairs.keys().distinct(9).collect()));
    add(
        results,
        "repartitionAndSort",
        ordered(
            pairs
                .repartitionAndSortWithinPartitions(
                    new HashPartitioner(3), Comparator.<String>naturalOrder().reversed())
                .mapPartitions(RddOperatorsTest::keysInOrder)
                .collect()));
    add(
        results,
        "repartition",
        sorted(pairs.repartition(300).mapValues(String::hashCode).collect()));
    return results;
  }

  /** Now and then longer than a block. */
  private static String value(int i) {
    return ("value " + i + " ").repeat(i % 601 == 600 ? 5_000 : i % 20);
  }

  private static Iterator<String> keysInOrder(Iterator<Tuple2<String, String>> pairs) {
    List<String> keys = new ArrayList<>();
    pairs.forEachRemaining(pair -> keys.add(pair._1()));
    return keys.iterator();
  }

  private static String digest(Iterable<String> values) {
    int count = 0;
    long sum = 0;
    for (String value : values) {
      count++;
      sum += value.hashCode() * 31L;
    }
    return count + "/" + sum;
  }

  private static void add(List<String> results, String what, List<String> rows) {
    results.add(what + ", " + rows.size() + " rows");
    results.addAll(rows);
  }

  private static List<String> ordered(List<?> rows) {
    return rows.stream().map(String::valueOf).collect(Collectors.toList());
  }

  private static List<String> sorted(List<?> rows) {
    return rows.stream().map(String::valueOf).sorted().collect(Collectors.toList());
  }
}
