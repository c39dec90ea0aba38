package io.sluice.cli.doctor;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.FormatOption;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.Spelling;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.ServerConfig;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice config explain}. */
@Command(
    name = "config",
    mixinStandardHelpOptions = true,
    description = {
      "Settings of coordinators and servers.",
      "Those of clients (spark.sluice.*, mapreduce.sluice.*) are in docs/configuration.md."
    })
public final class ConfigCommand {
  /** All that processes of ours read. Those of clients come with Spark and Hadoop. */
  static final List<ConfigSection> SECTIONS =
      List.of(CoordinatorConfig.SECTION, ServerConfig.SECTION, SecurityConfig.SECTION);

  @Command(
      name = "explain",
      mixinStandardHelpOptions = true,
      description = "Says what a setting means, its type, its default and what is allowed.")
  int explain(
      @Mixin FormatOption format,
      @Parameters(paramLabel = "KEY", description = "such as server.memory") String name) {
    ConfigKey<?> key = find(name);
    System.out.print(format.write(document(key), () -> text(key)));
    return ExitCode.OK;
  }

  /** What a key has not got is left out. */
  private static ObjectNode document(ConfigKey<?> key) {
    ObjectNode all =
        JsonNodeFactory.instance
            .objectNode()
            .put("key", key.name())
            .put("doc", key.doc())
            .put("type", key.typeText())
            .put("secret", key.isSecret())
            .put("required", key.isRequired());
    if (!key.isRequired() && !key.defaultText().isEmpty()) {
      all.put("default", key.defaultText());
    }
    if (!key.boundsText().isEmpty()) {
      all.put("allowed", key.boundsText());
    }
    return all;
  }

  static ConfigKey<?> find(String name) {
    List<ConfigKey<?>> keys =
        SECTIONS.stream().<ConfigKey<?>>flatMap(section -> section.keys().stream()).toList();
    return keys.stream()
        .filter(key -> key.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new CommandFailedException(ExitCode.CONFIGURATION, unknown(name, keys)));
  }

  private static String unknown(String name, List<ConfigKey<?>> keys) {
    return client(name)
        .map(
            client ->
                name
                    + ": settings of the "
                    + client
                    + " are not known here; see \""
                    + client
                    + "\" in docs/configuration.md")
        .orElseGet(
            () ->
                "there is no setting "
                    + name
                    + Spelling.nearest(name, keys.stream().map(ConfigKey::name).toList())
                        .map(near -> ": did you mean " + near + "?")
                        .orElse(""));
  }

  /** Whose setting it is, as the page has it; empty if it is none of a client. */
  private static Optional<String> client(String name) {
    if (name.startsWith("spark.sluice.")) {
      return Optional.of("Spark client");
    }
    return name.startsWith("mapreduce.sluice.")
        ? Optional.of("MapReduce client")
        : Optional.empty();
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
