package io.sluice.cli.service;

import io.sluice.cli.AssignmentConverter;
import io.sluice.common.config.Assignment;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.security.SecurityFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a service's configuration comes from, and when it ends. */
final class ServiceOptions {
  @Option(names = "--config", description = "a properties file", paramLabel = "FILE")
  private @Nullable Path file;

  @Option(
      names = "--set",
      description = "one setting; goes before the file",
      paramLabel = "KEY=VALUE",
      converter = AssignmentConverter.class)
  private final List<Assignment> assignments = new ArrayList<>();

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
   *
   * @param own the service's section
   * @param others the other's
   * @param checks beside those of the sections
   */
  Settings read(ConfigSection own, ConfigSection others, Consumer<ConfigReader> checks) {
    ConfigReader reader = new ConfigReader(List.of(own, SecurityConfig.SECTION)).tolerate(others);
    SecurityFiles.CHECKS.forEach(reader::check);
    checks.accept(reader);
    if (file != null) {
      reader.file(file);
    }
    return reader.assignments("command line", assignments).read();
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
