package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * {@code deploy/prometheus} and {@code deploy/grafana} by themselves; that their metrics exist is
 * asked of real processes (SecuredJobIT).
 */
class MonitoringTest {
  @Test
  void namesOfMetricsAreFoundInQueries() {
    assertThat(
            MonitoringQueries.names(
                "sum by (le, code) (rate(a_total{code=~\"x|y\"}[5m])) / on (b) (c:d:e > 0.5) or f"))
        .containsExactly("a_total", "c:d:e", "f");
  }

  @Test
  void everyAlertSaysHowBadItIsAndHasASectionInTheRunbooks() throws IOException {
    List<String> headings = new ArrayList<>();
    for (String line : Files.readAllLines(Distribution.file("docs/operations/runbooks.md"))) {
      if (line.startsWith("## ")) {
        headings.add(line.substring(3).toLowerCase(Locale.ROOT));
      }
    }
    assertThat(alerts())
        .isNotEmpty()
        .allSatisfy(
            alert -> {
              String name = alert.at("alert").text();
              assertThat(alert.at("labels.severity").text())
                  .as(name)
                  .isIn("critical", "warning", "info");
              assertThat(alert.at("annotations.summary").text()).as(name).isNotBlank();
              assertThat(alert.at("annotations.runbook_url").text())
                  .isEqualTo("docs/operations/runbooks.md#" + name.toLowerCase(Locale.ROOT));
              assertThat(headings).contains(name.toLowerCase(Locale.ROOT));
            });
  }

  @Test
  void everyAlertHasATest() throws IOException {
    List<String> tested =
        Yaml.read(Distribution.file("deploy/prometheus/tests/sluice-alerts-test.yml"))
            .each("tests")
            .stream()
            .map(test -> test.at("name").text())
            .toList();
    for (Yaml alert : alerts()) {
      assertThat(tested).contains(alert.at("alert").text());
    }
  }

  @Test
  void prometheusTakesTheRulesAndTheirTestsPass() throws Exception {
    Tool promtool = Tool.orSkip("promtool");
    Path directory = Distribution.file("deploy/prometheus");
    List<String> check = new ArrayList<>(List.of("check", "rules"));
    MonitoringQueries.rules().forEach(file -> check.add(file.toString()));

    promtool.run(directory, Map.of(), check.toArray(String[]::new)).orFail();
    promtool.run(directory, Map.of(), "check", "config", "prometheus.yml").orFail();
    promtool.run(directory, Map.of(), "test", "rules", "tests/sluice-alerts-test.yml").orFail();
  }

  @Test
  void panelsOfDashboardsAskSomethingAndDoNotOverlap() throws IOException {
    assertThat(MonitoringQueries.dashboards()).hasSize(3);
    for (Path file : MonitoringQueries.dashboards()) {
      List<Yaml> panels = Yaml.read(file).each("panels");
      assertThat(panels)
          .filteredOn(panel -> !panel.at("type").text().equals("row"))
          .allSatisfy(panel -> assertThat(panel.each("targets")).isNotEmpty());
      boolean[][] taken = new boolean[1000][24];
      for (Yaml panel : panels) {
        int x = panel.at("gridPos.x").number();
        int y = panel.at("gridPos.y").number();
        for (int row = y; row < y + panel.at("gridPos.h").number(); row++) {
          for (int column = x; column < x + panel.at("gridPos.w").number(); column++) {
            assertThat(taken[row][column]).as("%s: %s", file, panel.at("title")).isFalse();
            taken[row][column] = true;
          }
        }
      }
    }
  }

  private static List<Yaml> alerts() throws IOException {
    List<Yaml> alerts = new ArrayList<>();
    for (Yaml group :
        Yaml.read(Distribution.file("deploy/prometheus/sluice-alerts.yml")).each("groups")) {
      alerts.addAll(group.each("rules"));
    }
    return alerts;
  }
}
