package io.sluice.benchmarks.spark.suite;

import org.apache.spark.ShuffleSuite;

/**
 * Spark's suite of shuffles, which Spark itself has a subclass of for each way to shuffle. This is
 * the one for Sluice; its configuration loads no system properties, so it is given them here.
 */
public final class SluiceShuffleSuite extends ShuffleSuite {
  @Override
  public void beforeAll() {
    super.beforeAll();
    System.getProperties()
        .forEach(
            (name, value) -> {
              if (isOurs(name.toString())) {
                conf().set(name.toString(), value.toString());
              }
            });
  }

  private static boolean isOurs(String name) {
    return name.equals("spark.shuffle.manager") || name.startsWith("spark.sluice.");
  }
}
