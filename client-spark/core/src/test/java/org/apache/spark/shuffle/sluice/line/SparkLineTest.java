package org.apache.spark.shuffle.sluice.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import org.junit.jupiter.api.Test;

/** Which line serves a Spark, of those that this module has; later ones are in another jar. */
class SparkLineTest {
  @Test
  void patchVersionsAreOfTheirLine() {
    assertThat(SparkLine.of("3.5.9")).isInstanceOf(Spark35Line.class);
    assertThat(SparkLine.of("4.0.0")).isInstanceOf(Spark35Line.class);
  }

  @Test
  void whoHasTheWrongJarIsToldWhichToTake() {
    assertThatExceptionOfType(SluiceException.class)
        .isThrownBy(() -> SparkLine.of("4.2.0"))
        .withMessageContaining("serves Spark 3.5 and 4.0, but Spark is 4.2.0")
        .withMessageContaining("for Scala 2.13 sluice-client-spark_2.13")
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION));
  }

  @Test
  void aVersionThatOnlyBeginsAlikeIsAnother() {
    assertThatExceptionOfType(SluiceException.class).isThrownBy(() -> SparkLine.of("3.50.1"));
  }
}
