package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.service.ServerJvm;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.Settings;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.MemoryPlan;
import io.sluice.server.config.ProcessMemory;
import io.sluice.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values with which a process would not start: told when the chart is rendered. Needs helm. */
class HelmChartSettingsTest {
  private static final String FLUSH = "server.settings.server\\.stop\\.flush-timeout=";
  private static final String GRACE = "coordinator.settings.coordinator\\.server\\.restart-grace=";

  @Test
  void settingsThatProcessesWouldRefuseAreToldAllAtOnce(@TempDir Path directory) throws Exception {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            coordinator:
              resources: {requests: {cpu: 2, memory: 512Mi}, limits: {cpu: 500m, memory: 128Mi}}
              settings:
                coordinator.server.restart-grace: 20s
                coordinator.http.port: "80"
                coordinator.zookeeper.digest-file: /x
                coordinator.nonsense: "1"
            server:
              settings:
                server.memory: 1g
                security.enabled: "false"
                server.stop.flush-timeout: 1 minute
                server.quota.user: "1g\\nserver.port = 1"
                server.rack: 'a\\'
            """);

    Tool.Outcome outcome = HelmChart.orSkip().template(values);

    assertThat(outcome.exitCode()).isNotZero();
    assertThat(outcome.output())
        .contains("12 problem(s)")
        .contains("coordinator.http.port is the chart's to write: probes")
        .contains("coordinator.zookeeper.digest-file is the chart's to write: set the value")
        .contains("there is no setting \"coordinator.nonsense\"")
        .contains("server.memory is the chart's to write: set the value server.memory")
        .contains("security.enabled is the chart's to write: set the values under security")
        .contains("server.quota.user has an end of line or a backslash in it")
        .contains("server.rack has an end of line or a backslash in it")
        .contains("server.stop.flush-timeout = 1 minute: the chart needs whole seconds")
        .contains("coordinator.server.restart-grace = 20s is over before a server has stopped")
        .contains("the limit of memory (128Mi) is below the request (512Mi)")
        .contains("the limit of cpu (500m) is below the request (2)")
        .contains("coordinator.resources.limits.memory = 128Mi: a coordinator has");
  }

  @Test
  void quantitiesAndDurationsThatAreNoneAreRefusedByName() throws Exception {
    Tool.Outcome outcome =
        HelmChart.orSkip()
            .template(
                HelmChart.values().get(0),
                "serviceMonitor.interval=often",
                "coordinator.resources.limits.memory=lots",
                "zookeeper.resources.requests.cpu=half");

    assertThat(outcome.exitCode()).isNotZero();
    assertThat(outcome.output().replace('.', '/'))
        .contains("/serviceMonitor/interval")
        .contains("/coordinator/resources/limits/memory")
        .contains("/zookeeper/resources/requests/cpu");
  }

  @Test
  void timesThatAreSetAreThoseOfPodsAndCoordinatorsToo() throws Exception {
    List<Yaml> manifests =
        HelmChart.orSkip().manifests(HelmChart.values().get(0), FLUSH + "10m", GRACE + "30m");

    assertThat(RenderedSettings.server(manifests).get(ServerConfig.STOP_TIMEOUT))
        .isEqualTo(Duration.ofMinutes(10));
    assertThat(RenderedSettings.coordinator(manifests).get(CoordinatorConfig.SERVER_RESTART_GRACE))
        .isEqualTo(Duration.ofMinutes(30));
    assertThat(manifests)
        .filteredOn(manifest -> manifest.at("kind").text().equals("StatefulSet"))
        .filteredOn(set -> set.at("metadata.name").text().equals("sluice-server"))
        .singleElement()
        .satisfies(
            set ->
                assertThat(set.at("spec.template.spec.terminationGracePeriodSeconds").number())
                    .isEqualTo(10 * 60 * 3 / 2 + 30));
  }

  /**
   * What the chart takes the process takes; what the chart refuses is not far from what it does.
   */
  @ParameterizedTest
  @CsvSource({
    "ssd, certManager, 512",
    "ssd, none, 512",
    "ssd ssd ssd ssd ssd ssd ssd ssd, certManager, 512",
    "hdd hdd, certManager, 64",
    "ssd hdd hdd, certManager, 2000",
    "ssd, certManager, 1500",
    "ssd ssd, certManager, 3000"
  })
  void theLeastMemoryOfAServerIsEnoughToStartWith(
      String disks, String tls, String connections, @TempDir Path directory) throws Exception {
    HelmChart chart = HelmChart.orSkip();
    Path values = directory.resolve("values.yaml");
    Files.writeString(values, values("100Mi", disks, tls, connections));
    Tool.Outcome refused = chart.template(values);
    Matcher least = Pattern.compile("(\\d+)Mi or more").matcher(refused.output());
    assertThat(least.find()).as(refused.output()).isTrue();

    Files.writeString(values, values(least.group(1) + "Mi", disks, tls, connections));
    Settings settings = RenderedSettings.server(chart.manifests(values));

    ServerConfig config = ServerConfig.from(settings);
    DataSize budget = ServerConfig.memory(settings);
    ProcessMemory flags = ServerJvm.memory(budget);
    MemoryPlan plan =
        MemoryPlan.of(
            config,
            new ProcessMemory(flags.heap(), flags.direct(), Long.MAX_VALUE),
            !tls.equals("none"));
    assertThat(plan.arena()).isPositive();
    assertThat(plan.arena() >> 20).as("MiB for data, at the least").isLessThan(150);
  }

  private static String values(String memory, String disks, String tls, String connections) {
    StringBuilder yaml = new StringBuilder();
    yaml.append("security: {tls: {mode: ").append(tls).append("}, trustedNetwork: ");
    yaml.append(tls.equals("none")).append("}\nserver:\n  memory: ").append(memory);
    yaml.append("\n  settings: {server.event-loops: '8', server.connections.max: '")
        .append(connections);
    yaml.append("'}\n  disks:\n");
    for (String kind : disks.split(" ")) {
      yaml.append("    - {name: d").append(yaml.length()).append(", class: ").append(kind);
      yaml.append(", size: 10Gi, megabytesPerSecond: 100}\n");
    }
    return yaml.toString();
  }
}
