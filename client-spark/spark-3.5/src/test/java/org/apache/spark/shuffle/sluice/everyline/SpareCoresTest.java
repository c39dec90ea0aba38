package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
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

  private static final int ROWS = 200_000;

  // Of the map's own run: those that were there when it began are of others.
  private static final Set<Thread> before = ConcurrentHashMap.newKeySet();
  private static final Set<Thread> during = ConcurrentHashMap.newKeySet();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneMapOnTwoCoresWritesTheRowsThatSparksOwnShuffleDoes(boolean encrypted) {
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.put("spark.io.encryption.enabled", String.valueOf(encrypted));
    List<String> rows = SparkSide.throughHeap(settings, SpareCoresTest::rows);
    during.removeAll(before);
    if (Runtime.getRuntime().availableProcessors() > 1) {
      assertThat(during).as("that compressed blocks while the map went on").isNotEmpty();
    }
    assertThat(rows).isEqualTo(SparkSide.throughOwn(settings, SpareCoresTest::rows));
  }

  private static List<String> rows(SparkSession spark) {
    spark.udf().register("noted", (UDF1<Long, Long>) SpareCoresTest::noted, DataTypes.LongType);
    List<Row> rows =
        spark
            .range(0, ROWS, 1, 1)
            .selectExpr(
                "noted(id) id",
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

  /** The map has filled its buffer several times when it comes to its last rows. */
  private static long noted(long id) {
    if (id == 0) {
      before.addAll(spareThreads());
    } else if (id == ROWS - 1_000) {
      during.addAll(spareThreads());
    }
    return id;
  }

  private static Set<Thread> spareThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(THREADS))
        .collect(Collectors.toSet());
  }
}
