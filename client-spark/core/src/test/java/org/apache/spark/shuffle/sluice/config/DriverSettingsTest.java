package org.apache.spark.shuffle.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import org.apache.spark.SparkConf;
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
    DriverSettings.apply(conf);
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
  void everyDriverStartIsAnApplicationOfItsOwn() {
    SparkConf first = new SparkConf(false);
    DriverSettings.apply(first);
    SparkConf second = first.clone();
    DriverSettings.apply(second);
    for (String name : new String[] {"spark.sluice.applicationId", "spark.sluice.secret"}) {
      assertThat(first.get(name)).isNotEqualTo(second.get(name));
    }
    assertThat(first.get("spark.sluice.secret")).matches("[0-9a-f]{64}");
  }

  @Test
  void sparkRedactsTheSecret() {
    SparkConf conf = new SparkConf(false);
    DriverSettings.apply(conf);
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
  void refusesEncryptionThatWouldNotHappen() {
    SparkConf conf = new SparkConf(false).set("spark.io.encryption.enabled", "true");
    assertThatThrownBy(() -> DriverSettings.apply(conf))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("spark.io.encryption.enabled");
  }
}
