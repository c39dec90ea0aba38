package org.apache.spark.shuffle.sluice.spark35;

import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** Local Sparks, with our manager over servers in the heap or with Spark's own. */
final class SparkSide {
  private SparkSide() {}

  static SparkSession heap(Map<String, String> extra) {
    return start(HeapShuffleManager.class.getName(), extra);
  }

  static SparkSession own(Map<String, String> extra) {
    return start("sort", extra);
  }

  private static SparkSession start(String manager, Map<String, String> extra) {
    SparkConf conf =
        new SparkConf(false)
            .setMaster("local[2,3]")
            .setAppName("test")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.shuffle.manager", manager);
    if (!manager.equals("sort")) {
      conf.set("spark.sluice.coordinator.quorum", "localhost:1");
    }
    extra.forEach(
        (name, value) -> {
          if (!manager.equals("sort") || !name.startsWith("spark.sluice.")) {
            conf.set(name, value);
          }
        });
    return SparkSession.builder().config(conf).getOrCreate();
  }
}
