package io.sluice.operations;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a release's processes read; what is wrong with it is thrown. */
final class RenderedSettings {
  private RenderedSettings() {}

  static Settings server(List<Yaml> manifests) throws IOException {
    return read(manifests, "server", ServerConfig.SECTION);
  }

  static Settings coordinator(List<Yaml> manifests) throws IOException {
    return read(manifests, "coordinator", CoordinatorConfig.SECTION);
  }

  private static Settings read(List<Yaml> manifests, String component, ConfigSection section)
      throws IOException {
    Yaml data =
        manifests.stream()
            .filter(manifest -> manifest.at("kind").text().equals("ConfigMap"))
            .filter(map -> map.at("metadata.name").text().equals("sluice-" + component))
            .findFirst()
            .orElseThrow()
            .at("data");
    Path properties = Files.createTempFile("sluice-chart", ".properties");
    try {
      // Keys have dots in them.
      Files.writeString(
          properties, String.valueOf(((Map<?, ?>) data.value()).get(component + ".properties")));
      return new ConfigReader(List.of(section, SecurityConfig.SECTION)).file(properties).read();
    } finally {
      Files.delete(properties);
    }
  }
}
