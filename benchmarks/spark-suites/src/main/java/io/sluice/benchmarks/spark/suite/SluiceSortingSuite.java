package io.sluice.benchmarks.spark.suite;

import org.apache.spark.rdd.SortingSuite;

/** Spark's suite of sorted RDDs, ascending, descending, empty and in ranges. */
public final class SluiceSortingSuite extends SortingSuite {
  @Override
  public void beforeAll() {
    SystemSettings.into(conf()); // Before the context is made, which all tests share.
    super.beforeAll();
  }
}
