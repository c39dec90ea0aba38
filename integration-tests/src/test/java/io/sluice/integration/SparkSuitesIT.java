package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.Bench;
import io.sluice.cli.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What others wrote to judge a shuffle by: Spark's own test suites, and the queries of TPC-DS and
 * TPC-H. They need Spark's tests from Maven and many minutes, and so run with {@code -Pscale}.
 */
@EnabledIfSystemProperty(named = "sluice.scale", matches = "true")
class SparkSuitesIT {
  @Test
  void sparksOwnSuitesFailOnlyWhereThePlanSaysWhy() {
    assertThat(Bench.run("suites")).isEqualTo(ExitCode.OK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tpcds", "tpch"})
  void queriesGiveTheSameRowsAsThroughSparksOwnShuffle(String suite) {
    assertThat(Bench.run("queries", "--suite", suite, "--few")).isEqualTo(ExitCode.OK);
  }
}
