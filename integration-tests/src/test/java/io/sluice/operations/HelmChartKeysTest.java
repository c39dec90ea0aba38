package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The keys by which the chart knows an unknown one are those of the processes. Written anew as
 * {@code docs/configuration.md} is, with {@code -Dsluice.docs.write=true}.
 */
class HelmChartKeysTest {
  @Test
  void theChartKnowsTheKeysThatThereAre() throws IOException {
    assertKeys("coordinator", CoordinatorConfig.SECTION);
    assertKeys("server", ServerConfig.SECTION);
  }

  private static void assertKeys(String component, ConfigSection section) throws IOException {
    String keys =
        section.keys().stream().map(ConfigKey::name).sorted().collect(Collectors.joining("\n"))
            + "\n";
    Path file = Distribution.file("deploy/helm/sluice/files/" + component + ".keys");
    if (Boolean.getBoolean("sluice.docs.write")) {
      Files.writeString(file, keys);
    }

    assertThat(file).as("see this class for how to write it anew").hasContent(keys);
  }
}
