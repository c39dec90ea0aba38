package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who gets through to whom in a release of the chart, and with what. Needs helm. */
class HelmChartAccessTest {
  static Stream<Path> values() throws Exception {
    return HelmChart.values().stream();
  }

  /** The command follows to the leader, and REST calls are passed on to it. */
  @Test
  void coordinatorsReachEachOther() throws Exception {
    Path values = HelmChart.values().get(0);
    List<Yaml> manifests = HelmChart.orSkip().manifests(values);
    Yaml rule =
        manifests.stream()
            .filter(manifest -> manifest.at("kind").text().equals("NetworkPolicy"))
            .filter(policy -> policy.at("metadata.name").text().equals("sluice-coordinator"))
            .findFirst()
            .orElseThrow()
            .each("spec.ingress")
            .get(0);

    assertThat(rule.each("ports").get(0).at("port").text()).isEqualTo("grpc");
    assertThat(rule.each("from"))
        .extracting(Yaml::text)
        .anyMatch(labels -> labels.contains("app.kubernetes.io/component=coordinator"))
        .anyMatch(labels -> labels.contains("app.kubernetes.io/component=server"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void theCommandThatIsPrintedHasAllThatSettingsAskFor(Path values) throws Exception {
    HelmChart chart = HelmChart.orSkip();
    String notes = chart.notes(values);
    List<Yaml> manifests = chart.manifests(values);
    String settings =
        manifests.stream()
            .filter(manifest -> manifest.at("kind").text().equals("ConfigMap"))
            .filter(map -> map.at("metadata.name").text().equals("sluice-server"))
            .findFirst()
            .orElseThrow()
            .at("data")
            .text();
    String command = notes.substring(notes.indexOf("sluice cluster status")).split("\n\n", 2)[0];

    assertThat(command.contains("--cluster-key-file /etc/sluice/key/cluster.key"))
        .isEqualTo(settings.contains("security.enabled = true"));
    assertThat(command.contains("--tls-trust-file /etc/sluice/tls/ca.crt"))
        .isEqualTo(settings.contains("security.tls.trust-file"));
    boolean shown = settings.contains("security.tls.client-certificates = true");
    assertThat(command.contains("--tls-certificate-file /etc/sluice/tls/tls.crt")).isEqualTo(shown);
    assertThat(command.contains("--tls-key-file /etc/sluice/tls/tls.key")).isEqualTo(shown);
    assertThat(notes.contains("spark.sluice.tls.certificateFile")).isEqualTo(shown);
  }
}
