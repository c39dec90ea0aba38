package io.sluice.benchmarks.spark.suite;

import org.apache.spark.metrics.InputOutputMetricsSuite;

/** Spark's suite of task metrics: what is written to shuffles and read from them lines up. */
public final class SluiceInputOutputMetricsSuite extends InputOutputMetricsSuite {
  @Override
  public void beforeAll() {
    SystemSettings.into(conf()); // Before the context is made, which all tests share.
    super.beforeAll();
  }
}
