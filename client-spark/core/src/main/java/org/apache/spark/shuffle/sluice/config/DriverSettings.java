package org.apache.spark.shuffle.sluice.config;

import io.sluice.common.security.Secret;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sluice.SluiceDataIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * What the driver's manager writes into Spark's configuration before anything else reads it;
 * executors receive it with the rest.
 */
public final class DriverSettings {
  private static final Logger LOG = LoggerFactory.getLogger(DriverSettings.class);

  /** What entries begin with that choose Spark's cipher, and who computes it. */
  private static final List<String> CIPHERS =
      List.of("spark.io.crypto.", "spark.io.encryption.commons.config.");

  private DriverSettings() {}

  /**
   * Mints the application's identity and forces what correctness depends on, and warns of what is
   * set in vain; nothing where every shuffle is Spark's own.
   */
  public static void apply(SparkConf conf, FallbackPolicy fallback) {
    if (fallback == FallbackPolicy.ALWAYS) {
      return;
    }
    forced().forEach((name, value) -> force(conf, name, value));
    if (fallback == FallbackPolicy.NEVER) {
      // Otherwise idle executors stay for shuffle data that they do not hold.
      force(conf, "spark.dynamicAllocation.shuffleTracking.enabled", "false");
    }
    warnOfOtherCiphers(conf);
    conf.set(SluiceKeys.APPLICATION_ID.name(), UUID.randomUUID().toString());
    if (conf.getBoolean("spark.authenticate", false)) {
      // Every process derives it from Spark's own, so that it need not travel.
      conf.remove(SluiceKeys.SECRET.name());
    } else {
      conf.set(SluiceKeys.SECRET.name(), Secret.random());
    }
  }

  /** {@code local}, {@code local[2]}, {@code local[*,3]}; not {@code local-cluster}. */
  static boolean isOneProcess(String master) {
    return master.equals("local") || master.startsWith("local[");
  }

  private static Map<String, String> forced() {
    Map<String, String> forced = new TreeMap<>();
    // Outputs outlive executors.
    forced.put("spark.shuffle.sort.io.plugin.class", SluiceDataIO.class.getName());
    // Locations of map outputs are made up: no task is nearer to one than another, and none shares
    // its host with a second. The first comes too late for the driver, see ReduceLocality.
    forced.put("spark.shuffle.reduceLocality.enabled", "false");
    forced.put("spark.files.fetchFailure.unRegisterOutputOnHost", "false");
    // Nothing of ours lies at an external shuffle service.
    forced.put("spark.shuffle.push.enabled", "false");
    forced.put("spark.shuffle.service.removeShuffle", "false");
    // It would make a map's id its index, and attempts indistinguishable.
    forced.put("spark.shuffle.useOldFetchProtocol", "false");
    return forced;
  }

  /** Blocks are encrypted in one way, docs/security.md; only the key is made as Spark is told. */
  private static void warnOfOtherCiphers(SparkConf conf) {
    if (!conf.getBoolean("spark.io.encryption.enabled", false)) {
      return;
    }
    List<String> others =
        Stream.of(conf.getAll())
            .map(Tuple2::_1)
            .filter(name -> CIPHERS.stream().anyMatch(name::startsWith))
            .sorted()
            .collect(Collectors.toList());
    if (!others.isEmpty()) {
      LOG.warn(
          "Sluice encrypts blocks with AES-GCM of Java's own: {} hold for the rest of what Spark"
              + " encrypts only",
          others);
    }
  }

  private static void force(SparkConf conf, String name, String value) {
    String given = conf.get(name, value);
    if (!given.equals(value)) {
      LOG.warn("Sluice sets {}={} instead of {}", name, value, given);
    }
    conf.set(name, value);
  }
}
