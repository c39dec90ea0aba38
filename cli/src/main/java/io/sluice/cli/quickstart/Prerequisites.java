package io.sluice.cli.quickstart;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.Units;
import io.sluice.cli.service.ServerJvm;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.DataSize;
import io.sluice.common.error.SluiceException;
import io.sluice.server.config.MemoryPlan;
import io.sluice.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What must hold before anything is built or started, with a message for each that does not. */
final class Prerequisites {
  /** 390 TB on disk: nobody means more, and twenty times as many would overflow. */
  private static final long ROWS_MAX = 1_000_000_000_000L;

  private static final int PARTITIONS_MAX = 1_000_000;
  private static final int SERVERS_MAX = 64;

  /** Spark wants one and a half times the 300 MiB that it reserves; some JVMs report a bit less. */
  private static final DataSize HEAP_MIN = DataSize.parse("512m");

  /** Shuffled bytes of a row, times the copies of it that may lie on the disk at one time. */
  private static final long DISK_BYTES_PER_ROW = 3 * 130;

  /** The text is 12 MB; ZooKeeper, catalogs, logs and Spark's copies of jars take the rest. */
  private static final long DISK_BYTES_BASE = 128L << 20;

  private Prerequisites() {}

  /** Options alone; nothing is needed for it that is not there before a build. */
  static void check(QuickstartOptions options) {
    requireBetween("--rows", options.rows(), ROWS_MAX);
    requireBetween("--partitions", options.partitions(), PARTITIONS_MAX);
    requireBetween("--servers", options.servers(), SERVERS_MAX);
    if (options.heap().compareTo(HEAP_MIN) < 0) {
      throw usage("--heap must be at least " + HEAP_MIN);
    }
    checkServerMemory(options.serverMemory());
    checkJson(options.output().json());
  }

  /** Room for what the run will write. */
  static void checkDisk(QuickstartOptions options, Path directory) throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace();
    long wanted = DISK_BYTES_BASE + options.rowsMax() * DISK_BYTES_PER_ROW;
    if (free < wanted) {
      throw new CommandFailedException(
          ExitCode.IO_ERROR,
          String.format(
              Locale.ROOT,
              "the disk under %s is too full: %s free, about %s wanted; free some or set TMPDIR to"
                  + " another disk",
              directory,
              Units.bytes(free),
              Units.bytes(wanted)));
    }
  }

  /** As a server with one disk will do it itself. */
  private static void checkServerMemory(DataSize memory) {
    Map<String, String> settings =
        Map.of("server.memory", memory.toString(), "server.data-dirs", "data");
    try {
      ServerConfig config =
          ServerConfig.from(
              new ConfigReader(List.of(ServerConfig.SECTION))
                  .values("--server-memory", settings)
                  .read());
      MemoryPlan.of(config, ServerJvm.memory(memory));
    } catch (SluiceException e) {
      throw usage("--server-memory " + memory + " cannot be: " + e.detail());
    }
  }

  private static void checkJson(@Nullable Path file) {
    if (file == null) {
      return;
    }
    Path directory = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || directory == null) {
      throw usage("--json " + file + ": is a directory, not a file");
    }
    if (!Files.isDirectory(directory)) {
      throw usage("--json " + file + ": there is no directory " + directory);
    }
    if (!Files.isWritable(Files.exists(file) ? file : directory)) {
      throw usage("--json " + file + ": cannot be written");
    }
  }

  private static void requireBetween(String option, long value, long most) {
    if (value < 1 || value > most) {
      throw usage(option + " must be 1 to " + most);
    }
  }

  private static CommandFailedException usage(String message) {
    return new CommandFailedException(ExitCode.USAGE, message);
  }
}
