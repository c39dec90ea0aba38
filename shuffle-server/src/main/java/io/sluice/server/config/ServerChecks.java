package io.sluice.server.config;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.DirectoryCheck;
import io.sluice.common.config.Settings;
import io.sluice.common.file.SmallFile;
import io.sluice.common.security.SecurityConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What a server's settings must not contradict beside each other: the memory there is, and what is
 * said about security. To be asked together with both sections, so that all is told at once; {@link
 * MemoryPlan#of} and the server's start say the same one by one.
 *
 * <p>Each problem is told once: a budget beyond the machine is no other problem of the division,
 * and where nothing is left for data, seeds are not held against it.
 */
public final class ServerChecks {
  /** What the division of memory depends on, and nothing else. */
  static final List<ConfigKey<?>> DIVISION =
      List.of(
          ServerConfig.MEMORY,
          ServerConfig.EVENT_LOOPS,
          ServerConfig.DATA_DIRS,
          ServerConfig.MAX_CONNECTIONS,
          ServerConfig.UNIT,
          ServerConfig.CATALOG_MEMORY,
          GrpcConfig.PORT,
          TierConfig.HDFS_ROOT);

  /** What the division has to hold. */
  private static final List<ConfigKey<?>> CREDIT =
      List.of(ServerConfig.SEED, ServerConfig.MAX_BLOCK);

  /** That the address and the directories which settings name can be used. */
  public static final List<ConfigCheck> PLACES =
      List.of(
          ConfigCheck.resolvable(ServerConfig.BIND_ADDRESS),
          ConfigCheck.over(
              List.of(ServerConfig.DATA_DIRS),
              (settings, problems) -> {
                List<DataDir> dirs = settings.get(ServerConfig.DATA_DIRS).orElse(List.of());
                List<String> bad = unusable(dirs);
                // One that works is enough: a server goes on without its broken disks.
                if (bad.size() == dirs.size()) {
                  bad.forEach(problems);
                }
              }));

  /** That the files which settings name are of use; those about security have their own. */
  public static final List<ConfigCheck> FILES =
      List.of(
          ConfigCheck.over(
              List.of(TierConfig.HDFS_CONFIGURATION),
              (settings, problems) ->
                  settings.get(TierConfig.HDFS_CONFIGURATION).stream()
                      .flatMap(List::stream)
                      .forEach(path -> configuration(path, problems))),
          ConfigCheck.over(
              List.of(TierConfig.HDFS_KEYTAB),
              (settings, problems) ->
                  settings
                      .get(TierConfig.HDFS_KEYTAB)
                      .ifPresent(file -> readable(TierConfig.HDFS_KEYTAB, file, problems))));

  private final Function<DataSize, ProcessMemory> process;

  private ServerChecks(Function<DataSize, ProcessMemory> process) {
    this.process = process;
  }

  /**
   * The checks.
   *
   * @param process what the server's process may take, given its budget
   */
  public static List<ConfigCheck> of(Function<DataSize, ProcessMemory> process) {
    ServerChecks checks = new ServerChecks(process);
    List<ConfigKey<?>> division = with(DIVISION, List.of(SecurityConfig.TLS_CERTIFICATE_FILE));
    return List.of(
        ConfigCheck.over(List.of(ServerConfig.MEMORY), checks::budget),
        ConfigCheck.over(division, checks::division),
        ConfigCheck.over(with(division, CREDIT), checks::credit),
        SecurityConfig.listening(ServerConfig.BIND_ADDRESS));
  }

  /** A file, or a folder that holds some. */
  private static void configuration(Path path, Consumer<String> problems) {
    if (!Files.isDirectory(path)) {
      readable(TierConfig.HDFS_CONFIGURATION, path, problems);
    } else if (!Files.isReadable(path) || !Files.isExecutable(path)) {
      problems.accept(TierConfig.HDFS_CONFIGURATION + " cannot be read: " + path);
    }
  }

  private static void readable(ConfigKey<?> key, Path file, Consumer<String> problems) {
    SmallFile.problem(file).ifPresent(why -> problems.accept(key + " cannot be read: " + why));
  }

  private static List<String> unusable(List<DataDir> dirs) {
    return dirs.stream()
        .map(dir -> DirectoryCheck.problem(ServerConfig.DATA_DIRS, dir.path()))
        .flatMap(Optional::stream)
        .toList();
  }

  private static List<ConfigKey<?>> with(List<ConfigKey<?>> some, List<ConfigKey<?>> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  private Optional<String> beyondMachine(Settings settings) {
    DataSize budget = ServerConfig.memory(settings);
    return MemoryPlan.beyondMachine(budget.toBytes(), process.apply(budget));
  }

  private void budget(Settings settings, Consumer<String> problems) {
    beyondMachine(settings).ifPresent(problems);
  }

  private void division(Settings settings, Consumer<String> problems) {
    if (beyondMachine(settings).isEmpty()) {
      plan(settings)
          .flatMap(plan -> plan.problem(process.apply(ServerConfig.memory(settings))))
          .ifPresent(problems);
    }
  }

  private void credit(Settings settings, Consumer<String> problems) {
    ServerConfig config = ServerConfig.from(settings.withOnly(with(DIVISION, CREDIT)));
    plan(settings)
        .map(MemoryPlan::arena)
        .filter(arena -> arena > 0)
        .flatMap(arena -> config.limits().credit(arena).problem(arena))
        .ifPresent(problems);
  }

  /** Empty if there can be none: units of no size that a disk could have are told of already. */
  private Optional<MemoryPlan> plan(Settings settings) {
    if (!settings.get(ServerConfig.UNIT).map(DataSize::toBytes).stream()
        .allMatch(ServerConfig::isAligned)) {
      return Optional.empty();
    }
    boolean tls = settings.get(SecurityConfig.TLS_CERTIFICATE_FILE).isPresent();
    ServerConfig config = ServerConfig.from(settings.withOnly(DIVISION));
    return Optional.of(
        MemoryPlan.divide(config, process.apply(ServerConfig.memory(settings)), tls));
  }
}
