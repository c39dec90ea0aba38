package io.sluice.benchmarks.storage;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.Units;
import io.sluice.server.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks of the directory that is written to, before anything is. */
final class DataDirectory {
  /** Beside the data: catalogs, and what units pad. */
  private static final long SPARE = 1L << 30;

  private DataDirectory() {}

  /**
   * @throws CommandFailedException if so many bytes do not fit
   */
  static void checkRoom(Path directory, long bytes) throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace();
    if (free < bytes + SPARE) {
      throw new CommandFailedException(
          ExitCode.IO_ERROR,
          directory
              + " has "
              + Units.bytes(free)
              + " free, "
              + Units.bytes(bytes + SPARE)
              + " are needed: use less --data, or another --data-dir");
    }
  }

  /**
   * @throws CommandFailedException if the file system does not take O_DIRECT and should, or the
   *     other way round
   */
  static void checkDirect(Path directory, boolean buffered) {
    boolean direct;
    try (LocalDisk disk = LocalDisk.open(directory)) {
      direct = disk.bypassesPageCache();
    }
    if (!direct && !buffered) {
      throw new CommandFailedException(
          ExitCode.CONFIGURATION,
          directory
              + " is on a file system without O_DIRECT, where the page cache would be measured:"
              + " use another --data-dir, or --buffered to have both sides end with fsync");
    }
    if (direct && buffered) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          directory + " takes O_DIRECT, and the server uses it where it can: no --buffered");
    }
  }
}
