package io.sluice.benchmarks.spark.suite;

import org.apache.spark.ContextCleanerSuite;

/** Spark's suite of its cleaner: shuffles that nobody can read any more are removed, others not. */
public final class SluiceContextCleanerSuite extends ContextCleanerSuite {
  @Override
  public void beforeAll() {
    SystemSettings.into(conf()); // It asks for the sort shuffle by name.
    super.beforeAll();
  }
}
