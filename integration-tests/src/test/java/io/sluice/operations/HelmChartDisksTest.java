package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Volumes that come back blank. Needs helm. */
class HelmChartDisksTest {
  static Stream<Path> values() throws Exception {
    return HelmChart.values().stream();
  }

  /** What the pod does before the server starts is done here, under another root. */
  @ParameterizedTest
  @MethodSource("values")
  void aBlankVolumeGetsTheDirectoryThatTheServerLooksFor(Path values, @TempDir Path root)
      throws Exception {
    List<Yaml> manifests = HelmChart.orSkip().manifests(values);
    Yaml pod =
        manifests.stream()
            .filter(manifest -> manifest.at("kind").text().equals("StatefulSet"))
            .filter(set -> set.at("metadata.name").text().equals("sluice-server"))
            .findFirst()
            .orElseThrow()
            .at("spec.template.spec");
    Yaml step = pod.each("initContainers").get(0);
    Yaml server = pod.each("containers").get(0);
    List<String> disks =
        step.each("volumeMounts").stream().map(mount -> mount.at("mountPath").text()).toList();
    assertThat(server.each("volumeMounts").stream().map(mount -> mount.at("mountPath").text()))
        .containsAll(disks);
    assertThat(step.at("image").text()).isEqualTo(server.at("image").text());
    assertThat(step.at("securityContext").value()).isEqualTo(server.at("securityContext").value());

    for (String disk : disks) {
      Files.createDirectories(Path.of(root + disk));
    }
    Path whole = Path.of(root + disks.get(0));
    Path kept = Files.createDirectory(whole.resolve("sluice")).resolve("identity");
    Files.writeString(kept, "who I am");
    String script = step.each("command").get(2).text().replace("/data/", root + "/data/");
    Tool.orSkip("sh").run(root, Map.of(), "-c", script).orFail();

    assertThat(kept).hasContent("who I am");
    for (Yaml map : manifests) {
      if (map.at("kind").text().equals("ConfigMap")
          && map.at("metadata.name").text().equals("sluice-server")) {
        for (String disk : disks) {
          assertThat(map.at("data").text()).contains(":" + disk + "/sluice");
          assertThat(Path.of(root + disk, "sluice")).isDirectory();
        }
      }
    }
    // A disk that does not work keeps no server from starting.
    Files.delete(kept);
    Files.delete(kept.getParent());
    Files.delete(whole);
    Files.writeString(whole, "no directory");
    assertThat(Tool.orSkip("sh").run(root, Map.of(), "-c", script).orFail())
        .contains("the server will have to do without");
  }
}
