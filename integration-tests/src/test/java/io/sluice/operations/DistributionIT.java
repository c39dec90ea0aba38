package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder that the archive holds. */
class DistributionIT {
  private static final Map<String, String> JAVA =
      Map.of("JAVA_HOME", System.getProperty("java.home"));

  private final Path elsewhere;

  DistributionIT(@TempDir Path elsewhere) {
    this.elsewhere = elsewhere;
  }

  @Test
  void theCommandRunsFromAnyFolder() throws Exception {
    Tool sluice = new Tool(Distribution.folder().resolve("bin/sluice"));

    assertThat(sluice.run(elsewhere, JAVA, "--version").orFail()).startsWith("sluice ");
    assertThat(sluice.run(elsewhere, JAVA, "server", "run", "--help").orFail())
        .contains("Usage: sluice server run");
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  void wrongSettingsAreToldAllAtOnceBeforeAnythingStarts() throws Exception {
    Tool sluice = new Tool(Distribution.folder().resolve("bin/sluice"));

    Tool.Outcome outcome =
        sluice.run(
            elsewhere,
            JAVA,
            "server",
            "run",
            "--config",
            Distribution.folder().resolve("conf/server.properties").toString(),
            "--set",
            "server.memry=1g",
            "--set",
            "server.port=no",
            "--set",
            "server.block.max=16m");

    assertThat(outcome.exitCode()).isEqualTo(78);
    assertThat(outcome.output())
        .contains("3 problems")
        .contains("did you mean server.memory?")
        .contains("server.port = no")
        .contains("server.disk.unit must be at least twice server.block.max");
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  void everyLibraryIsListedWithItsLicence() throws IOException {
    String list = Files.readString(Distribution.folder().resolve("licenses/README.md"));
    List<String> unlisted = new ArrayList<>();
    for (Path jar : jars("lib", "lib/hdfs")) {
      String name = String.valueOf(jar.getFileName()).replaceAll("-\\d[^/]*\\.jar$", "");
      if (!name.startsWith("sluice-") && !list.contains("`" + name + "`")) {
        unlisted.add(name);
      }
    }
    assertThat(unlisted).as("libraries that dist/src/licenses/README.md does not name").isEmpty();
  }

  @Test
  void noLibraryIsThereTwice() throws IOException {
    Map<String, Long> names =
        jars("lib", "lib/hdfs").stream()
            .map(jar -> String.valueOf(jar.getFileName()))
            .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
    assertThat(names).allSatisfy((name, count) -> assertThat(count).as(name).isEqualTo(1));
  }

  @Test
  void aClientForEachLineOfEachEngineIsThereAndNothingElse() throws IOException {
    try (Stream<Path> files = Files.list(Distribution.folder().resolve("client"))) {
      assertThat(
              files.map(
                  file -> file.getFileName().toString().replaceAll("-\\d+\\.\\d+\\.\\d.*", "")))
          .containsExactlyInAnyOrder(
              "sluice-client-mr", "sluice-client-spark-3.5_2.12", "sluice-client-spark_2.13");
    }
  }

  @Test
  void whatOperatorsNeedIsThere() {
    Path folder = Distribution.folder();
    for (String file :
        List.of(
            "conf/coordinator.properties",
            "conf/server.properties",
            "conf/log4j2.properties",
            "deploy/systemd/sluice-server.service",
            "deploy/helm/sluice/Chart.yaml",
            "deploy/prometheus/sluice-alerts.yml",
            "deploy/grafana/sluice-cluster.json",
            "docs/operations/install.md",
            "licenses/texts/protobuf-java.txt",
            "README.md",
            "LICENSE")) {
      assertThat(folder.resolve(file)).exists();
    }
  }

  @Test
  void theReadmeNamesOnlyWhatIsThere() throws IOException {
    Path folder = Distribution.folder();
    List<String> named = new ArrayList<>();
    Pattern.compile("\\b(?:bin|conf|docs|lib|client|deploy|examples|licenses)(?:/[\\w./-]*\\w)?")
        .matcher(Files.readString(folder.resolve("README.md")))
        .results()
        .forEach(name -> named.add(name.group()));

    assertThat(named)
        .contains("bin/sluice", "conf/server.properties", "docs/operations/install.md")
        .allSatisfy(name -> assertThat(folder.resolve(name)).exists());
  }

  private static List<Path> jars(String... folders) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (String folder : folders) {
      try (Stream<Path> files = Files.list(Distribution.folder().resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".jar")).forEach(jars::add);
      }
    }
    assertThat(jars).hasSizeGreaterThan(40);
    return jars;
  }
}
