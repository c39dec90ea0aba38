package io.sluice.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SparkSettingsTest {
  @Test
  void executorsOfALocalClusterGetAllTheirWorkersMemory() {
    SparkSettings settings = SparkSettings.sparkOwn("local-cluster[2,1,2048]", "1g");

    assertThat(settings.effective())
        .containsEntry("spark.executor.memory", "2048m")
        .containsEntry("spark.driver.memory", "1g");
  }

  @Test
  void ownShuffleTouchesNothingThatShuffles() {
    assertThat(SparkSettings.sparkOwn("local[2]", "1g").effective())
        .containsOnlyKeys(
            "spark.driver.memory", "spark.ui.enabled", "spark.ui.showConsoleProgress");
  }

  @Test
  void clientJarIsOnBothClassPathsFromTheStart() {
    SparkSettings settings =
        new SparkSettings("local[2]", "1g", Map.of(), List.of(Path.of("/x/client.jar")));

    assertThat(settings.effective())
        .containsEntry("spark.driver.extraClassPath", "/x/client.jar")
        .containsEntry("spark.executor.extraClassPath", "/x/client.jar");
  }
}
