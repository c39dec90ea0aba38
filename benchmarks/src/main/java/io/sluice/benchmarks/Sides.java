package io.sluice.benchmarks;

import io.sluice.cli.compare.ShuffleSide;
import io.sluice.cli.spark.SparkSettings;
import java.util.List;
import java.util.stream.Stream;

/** Two live sides, and how they were started. */
record Sides(
    ShuffleSide candidate, ShuffleSide baseline, String sparkVersion, SparkSettings settings) {

  /** What someone needs to know to run this again. */
  List<String> description() {
    return Stream.concat(
            Stream.of(
                "Spark "
                    + sparkVersion
                    + ", Java "
                    + Runtime.version()
                    + ", "
                    + Runtime.getRuntime().availableProcessors()
                    + " processors, master "
                    + settings.master()
                    + "; not Spark's default:"),
            settings.effective().entrySet().stream()
                .map(property -> "  " + property.getKey() + "=" + property.getValue()))
        .toList();
  }
}
