package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.lifecycle.StopList;
import io.sluice.server.config.DataDir;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.identity.StoredIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The data directories of a server at its start: those that work, and what is wrong with the
 * others. One that does not work stops nobody, as long as another does; directories that contradict
 * each other, or are in use, do. Confined to the thread that starts the server.
 */
final class DataDisks {
  private final Map<DataDir, LocalDisk> working = new LinkedHashMap<>();
  private final Map<DataDir, SluiceException> failed = new LinkedHashMap<>();
  // Device and inode of what was opened: the same directory may go by several names.
  private final Map<Object, Path> seen = new HashMap<>();

  private DataDisks() {}

  /**
   * Opens and locks them.
   *
   * <p>A directory that is not there is made, unless the others say that a disk of this server is
   * missing: then its place is more likely a disk that was not mounted than a new one, and what is
   * written there would fill another file system and not be found again.
   *
   * @throws SluiceException DISK_FAILED if there are some and none works, INVALID_CONFIGURATION if
   *     one is named twice or in use
   */
  static DataDisks open(List<DataDir> dirs, StopList started) {
    DataDisks disks = new DataDisks();
    List<DataDir> absent = new ArrayList<>();
    for (DataDir dir : dirs) {
      // What cannot be looked at is not absent; opening it says why.
      if (Files.notExists(dir.path())) {
        absent.add(dir);
      } else {
        disks.openOne(dir, started);
      }
    }
    boolean incomplete = StoredIdentity.lacksDisks(List.copyOf(disks.working.values()));
    for (DataDir dir : absent) {
      if (incomplete) {
        disks.fail(
            dir,
            new SluiceException(
                ErrorCode.DISK_FAILED,
                "data directory "
                    + dir.path()
                    + " is not there, and a disk of this server is missing: mount it, or make the"
                    + " directory if it is to begin blank, and restart"));
      } else {
        disks.openOne(dir, started);
      }
    }
    disks.requireOne();
    return disks;
  }

  private void openOne(DataDir dir, StopList started) {
    try {
      LocalDisk.make(dir.path());
      refuseTwin(dir.path());
      // Closing again after the store has is harmless.
      working.put(dir, started.add("directory " + dir.path(), LocalDisk.open(dir.path())));
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.DISK_FAILED) {
        throw e;
      }
      fail(dir, e);
    }
  }

  private void refuseTwin(Path path) {
    Object key;
    try {
      key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return; // opening it says why
    }
    Path twin = key == null ? null : seen.put(key, path);
    if (twin != null) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "data directories " + twin + " and " + path + " are the same directory");
    }
  }

  private void fail(DataDir dir, SluiceException failure) {
    failed.put(dir, failure);
  }

  private void requireOne() {
    if (working.isEmpty()) {
      failed.values().stream()
          .findFirst()
          .ifPresent(
              first -> {
                throw first;
              });
    }
  }

  /** Goes on without disks that turned out not to work, and unlocks them. */
  void drop(Map<DataDir, SluiceException> failures) {
    failures.forEach(
        (dir, failure) -> {
          Optional.ofNullable(working.remove(dir)).ifPresent(LocalDisk::close);
          fail(dir, failure);
        });
    requireOne();
  }

  /** Those that work, in the order in which they are configured. */
  Map<DataDir, LocalDisk> working() {
    return working;
  }

  /** What is wrong with the others. */
  Map<DataDir, SluiceException> failed() {
    return failed;
  }
}
