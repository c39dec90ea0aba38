package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** A shuffle of far more partitions than rows, which a few tasks read together. */
class ManyReducersTest {
  private static final int PARTITIONS = 100_000;
  private static final int ROWS = 5_000;

  @Test
  void aHundredThousandPartitionsOfFewRows() {
    Map<String, String> conf = Map.of("spark.sql.shuffle.partitions", Integer.toString(PARTITIONS));
    List<Long> groups =
        SparkSide.throughHeap(
            conf,
            spark -> {
              Dataset<Row> counted =
                  spark.range(0, 2 * ROWS, 1, 4).selectExpr("id % " + ROWS + " as g");
              List<Row> rows = counted.groupBy("g").count().collectAsList();
              assertThat(rows).allMatch(row -> row.getLong(1) == 2);
              return rows.stream().map(row -> row.getLong(0)).sorted().collect(Collectors.toList());
            });
    assertThat(groups).isEqualTo(LongStream.range(0, ROWS).boxed().collect(Collectors.toList()));
  }
}
