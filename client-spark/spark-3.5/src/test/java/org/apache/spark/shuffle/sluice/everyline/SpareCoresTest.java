package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs with fewer tasks than cores. */
class SpareCoresTest {
  private static final String THREADS = "sluice-spare-core-";
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.io.compression.codec", "zstd",
          "spark.sql.adaptive.enabled", "false",
          "spark.sluice.write.buffer", "4m");

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneMapOnTwoCoresWritesTheRowsThatSparksOwnShuffleDoes(boolean encrypted) {
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.put("spark.io.encryption.enabled", String.valueOf(encrypted));
    Set<String> threads = new TreeSet<>();
    List<String> rows =
        SparkSide.throughHeap(
            settings,
            spark -> {
              List<String> result = rows(spark, 1);
              threads.addAll(spareThreads());
              return result;
            });
    assertThat(rows).isEqualTo(SparkSide.throughOwn(settings, spark -> rows(spark, 1)));
    if (Runtime.getRuntime().availableProcessors() > 1) {
      assertThat(threads).isNotEmpty();
    }
  }

  private static List<String> rows(SparkSession spark, int maps) {
    List<Row> rows =
        spark
            .range(0, 200_000, 1, maps)
            .selectExpr(
                "id",
                "id % 7 k",
                "repeat(cast(id as string), 1 + cast(id % 20 as int)) t",
                "if(id % 50000 = 7, repeat('long', 300000), null) l")
            .repartition(5, col("k"))
            .collectAsList();
    List<String> text = new ArrayList<>(rows.size());
    for (Row row : rows) {
      text.add(row.toString());
    }
    return text;
  }

  private static Set<String> spareThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith(THREADS))
        .collect(Collectors.toSet());
  }
}
