package io.sluice.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkHomeTest {
  private final Path home;

  SparkHomeTest(@TempDir Path home) {
    this.home = home;
  }

  @Test
  void readsVersionsFromTheCoreJar() throws Exception {
    put("spark-core_2.12-3.5.9-tests.jar");
    put("spark-core_2.12-3.5.9.jar");

    SparkHome spark = SparkHome.at(home, "3.5", "2.12");

    assertThat(spark.version()).isEqualTo("3.5.9");
    assertThat(spark.scala()).isEqualTo("2.12");
  }

  @Test
  void refusesAnotherLineAndSaysHowToAskForOne() throws Exception {
    put("spark-core_2.13-4.0.4.jar");

    assertThatThrownBy(() -> SparkHome.at(home, "3.5", "2.12"))
        .isInstanceOf(UnusableSparkException.class)
        .hasMessageContaining("Spark 4.0.4 for Scala 2.13")
        .hasMessageEndingWith("asked for is Spark 3.5.x for Scala 2.12 (--spark says which)");
  }

  @Test
  void takesTheLineAndScalaThatAreAskedFor() throws Exception {
    put("spark-core_2.13-4.2.0.jar");

    assertThat(SparkHome.at(home, "4.2", "2.13").version()).isEqualTo("4.2.0");
    assertThatThrownBy(() -> SparkHome.at(home, "4", "2.12"))
        .hasMessageEndingWith("asked for is Spark 4.x for Scala 2.12 (--spark says which)");
    assertThatThrownBy(() -> SparkHome.at(home, "4.20", "2.13"))
        .isInstanceOf(UnusableSparkException.class);
  }

  @Test
  void refusesADirectoryWithoutSpark() throws Exception {
    put("other.jar");

    assertThatThrownBy(() -> SparkHome.at(home, "3.5", "2.12"))
        .hasMessageContaining("no spark-core jar");
    assertThatThrownBy(() -> SparkHome.at(home.resolve("absent"), "3.5", "2.12"))
        .hasMessageContaining("is not a directory");
  }

  private void put(String jar) throws IOException {
    Path jars = Files.createDirectories(home.resolve("jars"));
    Files.createFile(jars.resolve(jar));
  }
}
