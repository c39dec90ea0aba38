package io.sluice.benchmarks.spark.suite;

import org.apache.spark.rdd.PairRDDFunctionsSuite;

/** Spark's suite of pairs: joins, groups, combines and partitioners of RDDs. */
public final class SluicePairRDDFunctionsSuite extends PairRDDFunctionsSuite {
  @Override
  public void beforeAll() {
    SystemSettings.into(conf()); // Before the context is made, which all tests share.
    super.beforeAll();
  }
}
