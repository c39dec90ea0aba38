package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigKey;
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
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of {@code conf/}: what is in them can be read, and what they call a default is one. */
class SettingsFilesTest {
  private static final Pattern COMMENTED = Pattern.compile("# ([a-z][a-z.-]+\\.[a-z.-]+) = (.+)");

  @ParameterizedTest
  @ValueSource(strings = {"coordinator", "server"})
  void canBeReadAsTheyAre(String service) throws IOException {
    Settings settings = reader(service).file(file(service)).read();

    assertThat(settings.get(SecurityConfig.ENABLED)).isFalse();
  }

  @Test
  void listenForThisMachineOnly() throws IOException {
    assertThat(reader("server").file(file("server")).read().get(ServerConfig.BIND_ADDRESS))
        .isEqualTo("127.0.0.1");
    assertThat(
            reader("coordinator")
                .file(file("coordinator"))
                .read()
                .get(CoordinatorConfig.BIND_ADDRESS))
        .isEqualTo("127.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"coordinator", "server"})
  void whatIsCommentedOutIsTheDefaultOrAnExampleWhereThereIsNone(String service)
      throws IOException {
    Map<String, ConfigKey<?>> keys =
        Stream.concat(section(service).keys().stream(), SecurityConfig.SECTION.keys().stream())
            .collect(Collectors.toMap(ConfigKey::name, Function.identity()));
    Map<String, String> commented = new TreeMap<>();
    for (String line : Files.readAllLines(file(service))) {
      Matcher matcher = COMMENTED.matcher(line);
      if (matcher.matches()) {
        commented.put(matcher.group(1), matcher.group(2));
      }
    }

    assertThat(commented).hasSizeGreaterThan(5);
    commented.forEach(
        (name, value) -> {
          ConfigKey<?> key = keys.get(name);
          assertThat(key).as(name).isNotNull();
          if (key != null && !key.defaultText().isEmpty()) {
            assertThat(value).as(name).isEqualTo(key.defaultText());
          }
        });
    reader(service).values("what is commented out", commented).read();
  }

  private static ConfigReader reader(String service) {
    return new ConfigReader(List.of(section(service), SecurityConfig.SECTION));
  }

  private static ConfigSection section(String service) {
    return service.equals("server") ? ServerConfig.SECTION : CoordinatorConfig.SECTION;
  }

  private static Path file(String service) {
    return Distribution.file("conf/" + service + ".properties");
  }
}
