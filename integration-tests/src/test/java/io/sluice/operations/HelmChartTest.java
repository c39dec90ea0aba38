package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.DataDir;
import io.sluice.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the chart makes of every values file, and what it refuses. Needs helm; see docs/testing.md.
 */
class HelmChartTest {
  static Stream<Path> values() throws IOException {
    return HelmChart.values().stream();
  }

  private static Path defaults() throws IOException {
    return HelmChart.values().get(0);
  }

  @ParameterizedTest
  @MethodSource("values")
  void nothingIsWrongWithTheChart(Path values) throws Exception {
    assertThat(HelmChart.orSkip().lint(values).orFail())
        .contains("1 chart(s) linted, 0 chart(s) failed");
  }

  @ParameterizedTest
  @MethodSource("values")
  void kubernetesKnowsEverythingInTheManifests(Path values, @TempDir Path directory)
      throws Exception {
    HelmChart chart = HelmChart.orSkip();
    Tool kubeconform = Tool.orSkip("kubeconform");
    Path schemas = KubernetesSchemas.orSkip(directory.resolve("schemas"));
    Path manifests =
        Files.writeString(directory.resolve("manifests.yaml"), chart.template(values).orFail());

    String report =
        kubeconform
            .run(
                "-strict",
                "-summary",
                // Of operators that may not be there.
                "-skip=Issuer,Certificate,ServiceMonitor",
                "-schema-location",
                schemas + "/{{ .ResourceKind }}.json",
                manifests.toString())
            .orFail();

    assertThat(report).contains("Invalid: 0, Errors: 0");
  }

  @ParameterizedTest
  @MethodSource("values")
  void processesTakeTheSettings(Path values) throws Exception {
    List<Yaml> manifests = HelmChart.orSkip().manifests(values);
    Settings server = RenderedSettings.server(manifests);
    Settings coordinator = RenderedSettings.coordinator(manifests);

    Duration grace = coordinator.get(CoordinatorConfig.SERVER_RESTART_GRACE);
    Yaml pod = stateful(manifests, "server").at("spec.template.spec");
    assertThat(grace)
        .as("coordinators wait for as long as a stop and a start may take")
        .isGreaterThan(Duration.ofSeconds(pod.at("terminationGracePeriodSeconds").number()));
    assertThat(coordinator.get(SecurityConfig.ENABLED))
        .isEqualTo(server.get(SecurityConfig.ENABLED));
  }

  @ParameterizedTest
  @MethodSource("values")
  void podsHaveTimeToStopInOrder(Path values) throws Exception {
    List<Yaml> manifests = HelmChart.orSkip().manifests(values);
    Settings settings = RenderedSettings.server(manifests);
    Yaml pod = stateful(manifests, "server").at("spec.template.spec");

    long flush = settings.get(ServerConfig.STOP_TIMEOUT).toSeconds();
    assertThat(pod.at("terminationGracePeriodSeconds").number())
        .isGreaterThanOrEqualTo((int) (flush + flush / 2 + 30));
    Yaml container = pod.each("containers").get(0);
    assertThat(container.at("lifecycle.preStop.exec.command").text()).contains("kill -TERM 1");
    assertThat(container.at("resources.limits.memory").text())
        .isEqualTo(container.at("resources.requests.memory").text());
    long limit = mebibytes(container.at("resources.limits.memory").text());
    long budget = ServerConfig.memory(settings).toBytes() >> 20;
    assertThat(budget).isBetween(limit * 8 / 10, limit * 9 / 10);
  }

  @ParameterizedTest
  @MethodSource("values")
  void everyDiskIsAVolumeOfItsOwn(Path values) throws Exception {
    List<Yaml> manifests = HelmChart.orSkip().manifests(values);
    List<DataDir> dirs =
        RenderedSettings.server(manifests).get(ServerConfig.DATA_DIRS).orElse(List.of());
    Yaml set = stateful(manifests, "server");
    List<String> claims =
        set.each("spec.volumeClaimTemplates").stream()
            .map(claim -> claim.at("metadata.name").text())
            .toList();
    List<Yaml> mounts =
        set.at("spec.template.spec").each("containers").get(0).each("volumeMounts").stream()
            .filter(mount -> claims.contains(mount.at("name").text()))
            .toList();

    assertThat(dirs).isNotEmpty();
    assertThat(mounts.stream().map(mount -> mount.at("mountPath").text()))
        .containsExactlyElementsOf(
            dirs.stream().map(dir -> String.valueOf(dir.path().getParent())).toList());
    assertThat(claims).doesNotHaveDuplicates().hasSameSizeAs(dirs);
    assertThat(set.at("spec.persistentVolumeClaimRetentionPolicy.whenScaled").text())
        .isEqualTo("Retain");
  }

  @ParameterizedTest
  @MethodSource("values")
  void everyPodIsProbedAndMayDoLittleAndIsEvictedOneByOne(Path values) throws Exception {
    List<Yaml> manifests = HelmChart.orSkip().manifests(values);
    List<Yaml> budgets = kind(manifests, "PodDisruptionBudget");
    for (Yaml set : kind(manifests, "StatefulSet")) {
      String name = set.at("metadata.name").text();
      Yaml pod = set.at("spec.template.spec");
      Yaml container = pod.each("containers").get(0);
      assertThat(container.has("startupProbe")).as(name).isTrue();
      assertThat(container.has("livenessProbe")).as(name).isTrue();
      assertThat(container.has("readinessProbe")).as(name).isTrue();
      if (!name.endsWith("zookeeper")) {
        assertThat(container.at("livenessProbe.httpGet.path").text()).isEqualTo("/health/live");
        assertThat(container.at("readinessProbe.httpGet.path").text()).isEqualTo("/health/ready");
      }
      assertThat(pod.at("securityContext.runAsNonRoot").text()).isEqualTo("true");
      assertThat(container.at("securityContext.readOnlyRootFilesystem").text()).isEqualTo("true");
      assertThat(container.at("securityContext.capabilities.drop").text()).isEqualTo("[ALL]");
      assertThat(budgets)
          .as("one budget for %s", name)
          .filteredOn(
              budget -> budget.at("spec.selector").value().equals(set.at("spec.selector").value()))
          .singleElement()
          .satisfies(budget -> assertThat(budget.at("spec.maxUnavailable").number()).isEqualTo(1));
    }
  }

  @Test
  void securityIsOnUnlessItIsSwitchedOff() throws Exception {
    List<Yaml> manifests = HelmChart.orSkip().manifests(defaults());
    Settings settings = RenderedSettings.server(manifests);

    assertThat(settings.get(SecurityConfig.ENABLED)).isTrue();
    assertThat(settings.get(SecurityConfig.TLS_CERTIFICATE_FILE)).isPresent();
    assertThat(settings.get(SecurityConfig.TRUSTED_NETWORK)).isFalse();
    assertThat(kind(manifests, "Secret")).hasSize(2);
    assertThat(kind(manifests, "NetworkPolicy")).hasSize(3);
    assertThat(kind(manifests, "Certificate"))
        .filteredOn(certificate -> certificate.at("metadata.name").text().equals("sluice-tls"))
        .singleElement()
        .satisfies(
            certificate -> {
              assertThat(certificate.at("spec.privateKey.encoding").text()).isEqualTo("PKCS8");
              assertThat(certificate.at("spec.dnsNames").text())
                  .contains("*.sluice-server.shuffle.svc.cluster.local")
                  .contains("*.sluice-coordinator.shuffle.svc.cluster.local");
            });
  }

  @ParameterizedTest
  @MethodSource("values")
  void coordinatorsAloneHaveTheLoginToZooKeeper(Path values) throws Exception {
    List<Yaml> manifests = HelmChart.orSkip().manifests(values);
    for (Yaml set : kind(manifests, "StatefulSet")) {
      Yaml pod = set.at("spec.template.spec");
      List<String> volumes = texts(pod.each("volumes"), "name");
      List<String> mounts = texts(pod.each("containers").get(0).each("volumeMounts"), "mountPath");
      boolean has = volumes.contains("zookeeper-login");
      assertThat(mounts.contains("/etc/sluice/zookeeper")).isEqualTo(has);
      if (!set.at("metadata.name").text().endsWith("coordinator")) {
        assertThat(has).as(set.at("metadata.name").text()).isFalse();
      }
    }
    Settings coordinator = RenderedSettings.coordinator(manifests);
    assertThat(
            texts(
                stateful(manifests, "coordinator").at("spec.template.spec").each("volumes"),
                "name"))
        .as("mounted where it is set")
        .matches(
            names ->
                names.contains("zookeeper-login")
                    == coordinator.get(CoordinatorConfig.ZOOKEEPER_DIGEST_FILE).isPresent());
    for (Yaml secret : kind(manifests, "Secret")) {
      assertThat((Map<?, ?>) secret.at("data").value()).as("of one purpose").hasSize(1);
    }
  }

  private static List<String> texts(List<Yaml> all, String name) {
    return all.stream().map(one -> one.at(name).text()).toList();
  }

  @Test
  void theLoginToZooKeeperIsMadeUnlessOneIsNamed() throws Exception {
    HelmChart chart = HelmChart.orSkip();
    List<Yaml> own = chart.manifests(defaults());
    assertThat(texts(kind(own, "Secret"), "metadata.name"))
        .containsExactlyInAnyOrder("sluice-cluster-key", "sluice-zookeeper-login");
    assertThat(RenderedSettings.coordinator(own).get(CoordinatorConfig.ZOOKEEPER_DIGEST_FILE))
        .hasValue(Path.of("/etc/sluice/zookeeper/zookeeper.login"));

    Tool.Outcome named =
        chart.template(
            defaults(),
            "security.clusterKey.existingSecret=key",
            "networkPolicy.enabled=false",
            "zookeeper.login.existingSecret=login");
    assertThat(named.exitCode()).isZero();
    assertThat(named.output()).contains("secretName: login").doesNotContain("kind: Secret");

    Tool.Outcome none =
        chart.template(
            defaults(), "security.clusterKey.existingSecret=key", "networkPolicy.enabled=false");
    assertThat(none.exitCode()).isNotZero();
    assertThat(none.output()).contains("zookeeper.login.existingSecret");
  }

  @Test
  void whoAServerIsDoesNotDependOnItsPodsAddress() throws Exception {
    List<Yaml> manifests = HelmChart.orSkip().manifests(defaults());
    Yaml container =
        stateful(manifests, "server").at("spec.template.spec").each("containers").get(0);

    assertThat(container.at("command").text())
        .contains("server.host=$(POD_NAME).sluice-server.shuffle.svc.cluster.local");
    assertThat(kind(manifests, "Service"))
        .filteredOn(service -> service.at("metadata.name").text().equals("sluice-server"))
        .singleElement()
        .satisfies(
            service ->
                assertThat(service.at("spec.publishNotReadyAddresses").text()).isEqualTo("true"));
  }

  @Test
  void valuesThatAreNoneAreRefusedByName() throws Exception {
    HelmChart chart = HelmChart.orSkip();
    for (Map.Entry<String, String> wrong :
        Map.of(
                "server.memory=plenty", "/server/memory",
                "server.disks[0].class=tape", "/server/disks/0",
                "server.replica=3", "replica",
                "zookeeper.mode=etcd", "/zookeeper/mode",
                "zookeeper.replicas=2", "/zookeeper/replicas")
            .entrySet()) {
      Tool.Outcome outcome = chart.template(defaults(), wrong.getKey());
      assertThat(outcome.exitCode()).as(wrong.getKey()).isNotZero();
      assertThat(outcome.output()).contains("values don't meet the specifications of the schema");
      assertThat(outcome.output().replace('.', '/')).contains(wrong.getValue());
    }
  }

  @Test
  void valuesThatContradictEachOtherAreToldAllAtOnce() throws Exception {
    Tool.Outcome outcome =
        HelmChart.orSkip()
            .template(
                defaults(),
                "zookeeper.mode=embedded",
                "zookeeper.connect=zk:2181",
                "security.tls.mode=none",
                "security.tls.clientCertificates=true",
                "server.memory=4096Gi");

    assertThat(outcome.exitCode()).isNotZero();
    assertThat(outcome.output())
        .contains("5 problem(s)")
        .contains("coordinator.replicas above 1 need zookeeper.mode bundled or external")
        .contains("zookeeper.connect needs zookeeper.mode external")
        .contains("security.tls.mode none lets secrets cross the network in the clear")
        .contains("security.tls.clientCertificates needs another security.tls.mode than none")
        .contains("less memory, or more or faster disks");
  }

  private static Yaml stateful(List<Yaml> manifests, String component) {
    return kind(manifests, "StatefulSet").stream()
        .filter(set -> set.at("metadata.name").text().equals("sluice-" + component))
        .findFirst()
        .orElseThrow();
  }

  private static List<Yaml> kind(List<Yaml> manifests, String kind) {
    List<Yaml> some = new ArrayList<>(manifests);
    some.removeIf(manifest -> !manifest.at("kind").text().equals(kind));
    return some;
  }

  private static long mebibytes(String quantity) {
    long number = Long.parseLong(quantity.substring(0, quantity.length() - 2));
    return quantity.endsWith("Gi") ? number * 1024 : number;
  }
}
