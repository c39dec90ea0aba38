package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Makes the catalog of a data directory anew from the headers of its units, for when the catalog
 * itself cannot be read. Reads the header of every unit, and the blocks of the last one of each
 * segment; a torn tail is cut, as at a start.
 *
 * <p>What is lost is which segments were being removed: their shuffles are there again, until the
 * coordinator has the server remove what belongs to no application.
 */
public final class CatalogRebuild {
  private static final String ASIDE = "catalog.rebuilding";

  private CatalogRebuild() {}

  /**
   * Rebuilds; the directory is locked meanwhile. If it fails, the old catalog is back in its place.
   *
   * @throws SluiceException INVALID_CONFIGURATION if this is no data directory, or a process uses
   *     it; DISK_FAILED if it cannot be read or written
   */
  public static RecoveryReport run(Path directory) {
    if (!Files.isDirectory(directory.resolve(SegmentFileName.FOLDER))) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          directory + " is not a data directory: it has no folder " + SegmentFileName.FOLDER);
    }
    // Locks; the store that takes the disk over releases it.
    LocalDisk disk = LocalDisk.open(directory);
    Path catalog = disk.resolve(LocalSegmentStore.CATALOG);
    Path aside = disk.resolve(ASIDE);
    boolean done = false;
    try {
      setAside(catalog, aside);
      RecoveryReport report;
      try (LocalSegmentStore store =
          LocalSegmentStore.open(disk, DiskOptions.ssd(), 0, Clock.system())) {
        report = store.recovery();
      }
      done = true;
      delete(aside);
      return report;
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED, "the catalog of " + directory + " cannot be rebuilt", e);
    } finally {
      if (!done) {
        putBack(catalog, aside);
      }
      disk.close();
    }
  }

  /** An earlier attempt that died has left the only whole one aside: that one stays. */
  private static void setAside(Path catalog, Path aside) throws IOException {
    if (Files.exists(aside)) {
      delete(catalog);
    } else if (Files.exists(catalog)) {
      Files.move(catalog, aside, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static void putBack(Path catalog, Path aside) {
    try {
      if (Files.exists(aside)) {
        delete(catalog);
        Files.move(aside, catalog, StandardCopyOption.ATOMIC_MOVE);
      }
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED, "the old catalog stays in " + aside + ", move it back", e);
    }
  }

  private static void delete(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
