package org.apache.spark.shuffle.sluice;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/** A Spark in the process of a test: without a UI, and on ports that no other machine reaches. */
public final class LocalSpark {
  private LocalSpark() {}

  /**
   * Its configuration.
   *
   * @param master such as {@code local[2]}
   */
  public static SparkConf conf(String master) {
    return new SparkConf(false)
        .setMaster(master)
        .setAppName("test")
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1");
  }

  /**
   * Starts one of one core, with Spark's own shuffle manager. The caller stops it; there is one at
   * a time in a process.
   */
  public static SparkContext start() {
    return new SparkContext(conf("local[1]").set("spark.sluice.coordinator.quorum", "localhost:1"));
  }
}
