package org.apache.spark.shuffle.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Keys;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.shuffle.sluice.LoggedLines;
import org.apache.spark.util.Utils;
import org.junit.jupiter.api.Test;

class DriverSettingsTest {
  @Test
  void forcesWhatCorrectnessDependsOn() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.shuffle.push.enabled", "true")
            .set("spark.shuffle.useOldFetchProtocol", "true")
            .set("spark.files.fetchFailure.unRegisterOutputOnHost", "true");
    DriverSettings.apply(conf, FallbackPolicy.NEVER);
    assertThat(conf.get("spark.shuffle.sort.io.plugin.class"))
        .isEqualTo("org.apache.spark.shuffle.sluice.SluiceDataIO");
    assertThat(conf.get("spark.shuffle.reduceLocality.enabled")).isEqualTo("false");
    assertThat(conf.get("spark.files.fetchFailure.unRegisterOutputOnHost")).isEqualTo("false");
    assertThat(conf.get("spark.shuffle.push.enabled")).isEqualTo("false");
    assertThat(conf.get("spark.shuffle.service.removeShuffle")).isEqualTo("false");
    assertThat(conf.get("spark.shuffle.useOldFetchProtocol")).isEqualTo("false");
    assertThat(conf.get("spark.dynamicAllocation.shuffleTracking.enabled")).isEqualTo("false");
  }

  @Test
  void executorsOfLocalShufflesAreSparksToKeep() {
    SparkConf auto = new SparkConf(false);
    DriverSettings.apply(auto, FallbackPolicy.AUTO);
    assertThat(auto.contains("spark.dynamicAllocation.shuffleTracking.enabled")).isFalse();
    assertThat(auto.get("spark.shuffle.sort.io.plugin.class")).endsWith("SluiceDataIO");
    assertThat(auto.get("spark.shuffle.push.enabled")).isEqualTo("false");
    assertThat(auto.contains("spark.sluice.applicationId")).isTrue();
  }

  @Test
  void whereEveryShuffleIsSparksOwnNothingIsSet() {
    SparkConf always = new SparkConf(false).set("spark.shuffle.push.enabled", "true");
    DriverSettings.apply(always, FallbackPolicy.ALWAYS);
    assertThat(always.getAll()).hasSize(1);
  }

  @Test
  void whoChoosesACipherIsToldThatBlocksHaveTheirOwn() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.io.encryption.keySizeBits", "256")
            .set("spark.io.encryption.keygen.algorithm", "HmacSHA256")
            .set("spark.io.encryption.commons.config.cipher.classes", "some.Cipher")
            .set("spark.io.crypto.cipher.transformation", "AES/CBC/PKCS5Padding");
    try (LoggedLines logged = LoggedLines.of(DriverSettings.class)) {
      DriverSettings.apply(conf, FallbackPolicy.NEVER);
      assertThat(logged.lines()).as("nothing is encrypted").isEmpty();

      conf.set("spark.io.encryption.enabled", "true");
      DriverSettings.apply(conf, FallbackPolicy.ALWAYS);
      assertThat(logged.lines()).as("by Spark itself").isEmpty();

      DriverSettings.apply(conf, FallbackPolicy.AUTO);
      assertThat(logged.lines()).hasSize(1);
      assertThat(logged.lines().get(0))
          .contains(
              "[spark.io.crypto.cipher.transformation,"
                  + " spark.io.encryption.commons.config.cipher.classes]");
    }
  }

  @Test
  void everyDriverStartIsAnApplicationOfItsOwn() {
    SparkConf first = new SparkConf(false);
    DriverSettings.apply(first, FallbackPolicy.NEVER);
    SparkConf second = first.clone();
    DriverSettings.apply(second, FallbackPolicy.NEVER);
    for (String name : new String[] {"spark.sluice.applicationId", "spark.sluice.secret"}) {
      assertThat(first.get(name)).isNotEqualTo(second.get(name));
    }
    assertThat(first.get("spark.sluice.secret")).matches("[0-9a-f]{64}");
  }

  @Test
  void sparkRedactsTheSecret() {
    SparkConf conf = new SparkConf(false);
    DriverSettings.apply(conf, FallbackPolicy.NEVER);
    assertThat(
            Utils.redact(
                    conf,
                    scala.collection.JavaConverters.asScalaBuffer(
                            java.util.List.of(
                                new scala.Tuple2<>(
                                    "spark.sluice.secret", conf.get("spark.sluice.secret"))))
                        .toSeq())
                .toString())
        .doesNotContain(conf.get("spark.sluice.secret"));
  }

  @Test
  void whereSparkHasASecretNoneOfOursTravels() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.authenticate", "true")
            .set("spark.authenticate.secret", "Spark's own")
            .set("spark.sluice.coordinator.quorum", "localhost:7400")
            .set("spark.sluice.security.enabled", "true")
            .set("spark.sluice.secret", "left over");
    DriverSettings.apply(conf, FallbackPolicy.NEVER);
    assertThat(conf.contains("spark.sluice.secret")).isFalse();
    SecurityManager spark = new SecurityManager(conf, scala.Option.empty(), authSecretFile());
    ApplicationId application = SluiceConfig.of(conf).application();

    // Every process of the application comes to the same keys, another application to others.
    Keys keys = keys(application, SluiceConfig.of(conf, spark));
    SparkConf other = conf.clone();
    DriverSettings.apply(other, FallbackPolicy.NEVER);
    assertThat(keys(application, SluiceConfig.of(conf.clone(), spark)).verifier())
        .isEqualTo(keys.verifier());
    assertThat(keys(application, SluiceConfig.of(other, spark)).verifier())
        .isNotEqualTo(keys.verifier());
  }

  private static Keys keys(ApplicationId application, SluiceConfig config) {
    return Keys.ofApplication(application, config.secret().orElseThrow());
  }

  @Test
  void nothingIsProvedUnlessThatIsWanted() {
    SparkConf conf = new SparkConf(false).set("spark.sluice.coordinator.quorum", "localhost:7400");
    DriverSettings.apply(conf, FallbackPolicy.NEVER);
    SecurityManager spark = new SecurityManager(conf, scala.Option.empty(), authSecretFile());
    assertThat(SluiceConfig.of(conf, spark).secret()).isEmpty();
    assertThat(SluiceConfig.of(conf, spark).openTls()).isEmpty();
  }

  private static ConfigEntry<scala.Option<String>> authSecretFile() {
    return org.apache.spark.internal.config.package$.MODULE$.AUTH_SECRET_FILE();
  }
}
