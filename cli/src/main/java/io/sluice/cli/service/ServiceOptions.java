package io.sluice.cli.service;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a service's configuration comes from, and when it ends. */
final class ServiceOptions {
  @Option(names = "--config", description = "a properties file", paramLabel = "FILE")
  private @Nullable Path file;

  @Option(
      names = "--set",
      description = "one setting; goes before the file",
      paramLabel = "KEY=VALUE")
  private final Map<String, String> values = new LinkedHashMap<>();

  @Option(
      names = "--until-stdin-closes",
      description = "also stop when standard input ends: then no parent leaves this process behind")
  private boolean untilStdinCloses;

  @Option(
      names = "--print-jvm-flags",
      hidden = true,
      description =
          "print the flags that this JVM should have, and end; an option and no command, so that"
              + " what it finds wrong is said as 'run' says it")
  private boolean printJvmFlags;

  /**
   * Reads a service's own section and that about security; another service's may be in the same
   * file.
   */
  Settings read(ConfigSection own, ConfigSection... others) {
    return read(own, List.of(), others);
  }

  /**
   * The same.
   *
   * @param ifWrong as of {@link ConfigReader#checkIfWrong}
   */
  Settings read(ConfigSection own, List<ConfigCheck> ifWrong, ConfigSection... others) {
    ConfigReader reader = new ConfigReader(List.of(own, SecurityConfig.SECTION));
    ifWrong.forEach(reader::checkIfWrong);
    Stream.of(others).forEach(reader::tolerate);
    if (file != null) {
      reader.file(file);
    }
    return reader.values("command line", values).read();
  }

  /** Whether only the script that starts the service asks. */
  boolean onlyPrintsJvmFlags() {
    return printJvmFlags;
  }

  /** Has a service stop when it is told to. */
  void watch(StopSignal stop) {
    stop.watch(untilStdinCloses);
  }
}
