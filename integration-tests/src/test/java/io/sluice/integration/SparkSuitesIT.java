package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.Bench;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.TestedSpark;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What others wrote to judge a shuffle by: Spark's own test suites, and the queries of TPC-DS and
 * TPC-H. They need Spark's tests from Maven and many minutes, and so run with {@code -Pscale}.
 */
@EnabledIfSystemProperty(named = "sluice.scale", matches = "true")
class SparkSuitesIT {
  @ParameterizedTest
  @EnumSource(TestedSpark.class)
  void sparksOwnSuitesFailOnlyWhereThePlanSaysWhy(TestedSpark spark) {
    assertThat(Bench.run("suites", "--spark", spark.line())).isEqualTo(ExitCode.OK);
  }

  @ParameterizedTest
  @CsvSource({"3.5, tpcds", "3.5, tpch", "4.2, tpcds", "4.2, tpch"})
  void queriesGiveTheSameRowsAsThroughSparksOwnShuffle(String spark, String suite) {
    assertThat(Bench.run("queries", "--spark", spark, "--suite", suite, "--few"))
        .isEqualTo(ExitCode.OK);
  }
}
