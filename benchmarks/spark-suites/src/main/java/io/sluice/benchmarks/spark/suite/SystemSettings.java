package io.sluice.benchmarks.spark.suite;

import org.apache.spark.SparkConf;

/** What {@code bin/bench suites} sets by system properties, for suites that load none. */
final class SystemSettings {
  private SystemSettings() {}

  /** Puts Sluice into a configuration, if Sluice was set; nothing with Spark's own shuffle. */
  static void into(SparkConf conf) {
    System.getProperties()
        .forEach(
            (name, value) -> {
              if (isOurs(name.toString())) {
                conf.set(name.toString(), value.toString());
              }
            });
  }

  private static boolean isOurs(String name) {
    return name.equals("spark.shuffle.manager") || name.startsWith("spark.sluice.");
  }
}
