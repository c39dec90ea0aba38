package io.sluice.benchmarks.spark.suite;

import org.apache.spark.rdd.RDDSuite;

/** Spark's suite of RDDs: repartitioned, coalesced, grouped, sorted, counted, cached. */
public final class SluiceRDDSuite extends RDDSuite {
  @Override
  public void beforeAll() {
    SystemSettings.into(conf()); // Before the context is made, which all tests share.
    super.beforeAll();
  }
}
