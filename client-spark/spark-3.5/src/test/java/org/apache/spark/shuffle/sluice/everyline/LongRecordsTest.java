package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Records longer than all that a map task may buffer, among short ones. */
class LongRecordsTest {
  private static final Map<String, String> SMALL_BUFFERS =
      Map.of("spark.sluice.block.size", "16k", "spark.sluice.write.buffer", "1m");

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "none"})
  void rows(String codec) {
    assertEqual(
        Map.of("spark.sluice.codec", codec),
        spark ->
            spark
                .range(0, 300, 1, 3)
                .selectExpr(
                    "id",
                    "case when id % 50 = 7 then repeat(sha2(string(id), 256), 100000)"
                        + " else string(id) end as s")
                .repartition(3, col("id"))
                .selectExpr("id", "length(s)", "md5(s)")
                .orderBy("id")
                .collectAsList()
                .stream()
                .map(Row::toString)
                .collect(Collectors.toList()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.spark.serializer.KryoSerializer",
        "org.apache.spark.serializer.JavaSerializer"
      })
  void objects(String serializer) {
    assertEqual(
        Map.of("spark.serializer", serializer),
        spark ->
            new JavaSparkContext(spark.sparkContext())
                    .parallelize(IntStream.range(0, 300).boxed().collect(Collectors.toList()), 3)
                    .mapToPair(
                        i -> {
                          byte[] value = new byte[i % 50 == 7 ? 6_000_000 : i];
                          for (int at = 0; at < value.length; at++) {
                            value[at] = (byte) (at * i);
                          }
                          return new Tuple2<>(i, value);
                        })
                    .partitionBy(new HashPartitioner(3))
                    .mapValues(value -> value.length + " bytes, hash " + Arrays.hashCode(value))
                    .collect()
                    .stream()
                    .map(Tuple2::toString)
                    .sorted()
                    .collect(Collectors.toList()));
  }

  /**
   * Eight maps whose long rows come mixed, as from servers, to readers of which two at once have
   * memory for three such rows together.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void rowsOfManyMapsWithLittleMemory(int rowsOfEach) {
    Map<String, String> little =
        Map.of(
            "spark.sluice.codec",
            "none",
            HeapShuffleManager.LONG_RECORD_BYTES,
            "1000000",
            "spark.sql.adaptive.enabled",
            "false");
    List<Integer> streams = new ArrayList<>();
    assertEqual(
        little,
        spark -> {
          List<String> rows =
              spark
                  .range(0, 300, 1, 8)
                  .selectExpr(
                      "id",
                      "case when id % 37 < "
                          + rowsOfEach
                          + " then repeat(sha2(string(id), 256), 5000) else string(id) end as s")
                  .repartition(3, col("id"))
                  .selectExpr("id", "length(s)", "md5(s)")
                  .collectAsList()
                  .stream()
                  .map(Row::toString)
                  .sorted()
                  .collect(Collectors.toList());
          if (SparkEnv.get().shuffleManager() instanceof HeapShuffleManager) {
            streams.add(HeapShuffleManager.currentStore().streams());
          }
          return rows;
        });
    assertThat(streams)
        .as("some were read again")
        .singleElement()
        .satisfies(n -> assertThat(n).isGreaterThan(3));
  }

  private static void assertEqual(
      Map<String, String> conf, Function<SparkSession, List<String>> job) {
    Map<String, String> both = new HashMap<>(SMALL_BUFFERS);
    both.putAll(conf);
    List<String> ours = SparkSide.throughHeap(both, job);
    assertThat(ours).hasSize(300);
    assertThat(ours).isEqualTo(SparkSide.throughOwn(both, job));
  }
}
