package io.sluice.cli.doctor;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.Spelling;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.ServerConfig;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluice config explain}. */
@Command(
    name = "config",
    mixinStandardHelpOptions = true,
    description = "Settings of coordinators and servers.")
public final class ConfigCommand {
  /** All that processes of ours read; Spark's are in docs/configuration.md. */
  static final List<ConfigSection> SECTIONS =
      List.of(CoordinatorConfig.SECTION, ServerConfig.SECTION, SecurityConfig.SECTION);

  @Command(
      name = "explain",
      mixinStandardHelpOptions = true,
      description = "Says what a setting means, its type, its default and what is allowed.")
  int explain(@Parameters(paramLabel = "KEY", description = "such as server.memory") String name) {
    System.out.print(text(find(name)));
    return ExitCode.OK;
  }

  static ConfigKey<?> find(String name) {
    List<ConfigKey<?>> keys =
        SECTIONS.stream().<ConfigKey<?>>flatMap(section -> section.keys().stream()).toList();
    return keys.stream()
        .filter(key -> key.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandFailedException(
                    ExitCode.CONFIGURATION,
                    "there is no setting "
                        + name
                        + Spelling.nearest(name, keys.stream().map(ConfigKey::name).toList())
                            .map(near -> ": did you mean " + near + "?")
                            .orElse("")));
  }

  static String text(ConfigKey<?> key) {
    String standard = key.isRequired() ? "none: it has to be set" : key.defaultText();
    String bounds = key.boundsText();
    return key.name()
        + "\n  "
        + key.doc()
        + "\n  type     "
        + key.typeText()
        + (key.isSecret() ? ", never printed" : "")
        + "\n  default  "
        + (standard.isEmpty() ? "none" : standard)
        + (bounds.isEmpty() ? "" : "\n  allowed  " + bounds)
        + "\n";
  }
}
