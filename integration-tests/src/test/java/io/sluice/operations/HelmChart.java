package io.sluice.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The chart of {@code deploy/helm}, with Helm itself.
 *
 * @param helm the program
 */
record HelmChart(Tool helm) {
  private static final String CHART = "deploy/helm/sluice";
  private static final String NAMESPACE = "shuffle";

  static HelmChart orSkip() {
    return new HelmChart(Tool.orSkip("helm"));
  }

  /** All values files; the first is that of the defaults. */
  static List<Path> values() throws IOException {
    Path chart = Distribution.file(CHART);
    List<Path> files = new ArrayList<>();
    try (Stream<Path> own = Files.list(chart);
        Stream<Path> ci = Files.list(chart.resolve("ci"))) {
      Stream.concat(own, ci)
          .filter(file -> String.valueOf(file.getFileName()).matches("(.*-)?values(-.*)?\\.yaml"))
          .sorted()
          .forEach(files::add);
    }
    Path defaults = chart.resolve("values.yaml");
    files.remove(defaults);
    files.add(0, defaults);
    return files;
  }

  Tool.Outcome lint(Path values) throws IOException, InterruptedException {
    return helm.run("lint", "--strict", CHART, "--values", values.toString());
  }

  /** The manifests for a values file and further values. */
  Tool.Outcome template(Path values, String... set) throws IOException, InterruptedException {
    List<String> arguments =
        new ArrayList<>(List.of("template", "sluice", CHART, "--namespace", NAMESPACE, "--values"));
    arguments.add(values.toString());
    for (String value : set) {
      arguments.addAll(List.of("--set", value));
    }
    return helm.run(arguments.toArray(String[]::new));
  }

  /** What an installation prints for whoever installs. */
  String notes(Path values) throws IOException, InterruptedException {
    String all =
        helm.run(
                "install",
                "sluice",
                CHART,
                "--dry-run=client",
                "--namespace",
                NAMESPACE,
                "--values",
                values.toString())
            .orFail();
    return all.substring(all.indexOf("\nNOTES:"));
  }

  List<Yaml> manifests(Path values, String... set) throws IOException, InterruptedException {
    return Yaml.documents(template(values, set).orFail());
  }
}
