package io.sluice.benchmarks.spark.suite;

import org.apache.spark.ShuffleSuite;

/**
 * Spark's suite of shuffles, which Spark itself has a subclass of for each way to shuffle. This is
 * the one for Sluice.
 */
public final class SluiceShuffleSuite extends ShuffleSuite {
  @Override
  public void beforeAll() {
    super.beforeAll();
    SystemSettings.into(conf());
  }
}
