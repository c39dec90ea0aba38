package io.sluice.server.segment;

import com.sun.security.auth.module.UnixSystem;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.identity.Seal;
import io.sluice.server.identity.StoredIdentity;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the catalog of a data directory anew from the headers of its units, for when the catalog
 * itself cannot be read. Reads the header of every unit, and the blocks of the last one of each
 * segment; a torn tail is cut, as at a start.
 *
 * <p>The new catalog is made beside the old one, which stays in its place until the new one is
 * whole and on the disk: then two renames swap them. So whatever fails, and whenever the process
 * dies, there is a whole catalog or, between the renames, none, which a start makes up for. Both
 * other names are of no use to anybody once a catalog is in its place.
 *
 * <p>Before anything else the directory's seal is broken: without the old catalog nobody can tell
 * whether a unit is missing whose header is damaged, or which was cut off.
 *
 * <p>What is lost is which segments were being removed: their shuffles are there again, until the
 * coordinator has the server remove what belongs to no application.
 */
public final class CatalogRebuild {
  private static final Logger log = LoggerFactory.getLogger(CatalogRebuild.class);

  private static final String OWNER = "unix:uid";

  /** Where the new one is made. */
  static final String NEXT = "catalog.new";

  /** What the old one is called until it is deleted. */
  static final String REPLACED = "catalog.old";

  private final LocalDisk disk;
  private final Recovery recovery;
  private final Path catalog;
  private final Path next;
  private final Path replaced;

  private CatalogRebuild(LocalDisk disk, Recovery recovery) {
    this.disk = disk;
    this.recovery = recovery;
    catalog = disk.resolve(LocalSegmentStore.CATALOG);
    next = disk.resolve(NEXT);
    replaced = disk.resolve(REPLACED);
  }

  /** Makes a catalog of what lies on a disk, whole and synced, and closes both. */
  interface Recovery {
    RecoveryReport run(LocalDisk disk, Path catalog);
  }

  /**
   * Rebuilds; the directory is locked until the catalog is in its place. If it fails, that is the
   * old one.
   *
   * @throws SluiceException INVALID_CONFIGURATION if this is no data directory, one of another
   *     format or user, or a process uses it; DISK_FAILED if it cannot be read or written
   */
  public static RecoveryReport run(Path directory) {
    return run(directory, CatalogRebuild::recover);
  }

  static RecoveryReport run(Path directory, Recovery recovery) {
    checkOwner(directory, whatAServerMade(directory));
    try (LocalDisk disk = LocalDisk.open(directory)) {
      return new CatalogRebuild(disk, recovery).run();
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED, "the catalog of " + directory + " cannot be rebuilt", e);
    }
  }

  /** A server makes its identity at its first start, and the folder with its first unit. */
  private static Path whatAServerMade(Path directory) {
    Path segments = directory.resolve(SegmentFileName.FOLDER);
    Path identity = directory.resolve(StoredIdentity.FILE);
    if (Files.isDirectory(segments)) {
      return segments;
    }
    if (Files.isRegularFile(identity)) {
      return identity;
    }
    throw new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        directory
            + " is not a data directory: it has neither a folder "
            + SegmentFileName.FOLDER
            + " nor a file "
            + StoredIdentity.FILE);
  }

  /** A catalog that another user makes, as root may, is one that the server cannot open. */
  private static void checkOwner(Path directory, Path made) {
    try {
      Object owner = Files.getAttribute(made, OWNER);
      long own = new UnixSystem().getUid();
      if (((Number) owner).longValue() != own) {
        throw new SluiceException(
            ErrorCode.INVALID_CONFIGURATION,
            directory
                + " is a server's that runs as user "
                + owner
                + ", and this process runs as "
                + own
                + ": run it as "
                + owner
                + ", or that server could not open the catalog");
      }
    } catch (IOException e) {
      throw new SluiceException(ErrorCode.DISK_FAILED, made + " cannot be looked at", e);
    }
  }

  static RecoveryReport recover(LocalDisk disk, Path catalog) {
    DiskOptions options = DiskOptions.ssd().withWritesAtMost(1);
    StoreParts parts =
        new StoreParts(
            disk,
            RocksUnitCatalog.open(catalog, options.catalogMemory()),
            new ThreadedDiskQueue("rebuild", options, disk.patienceNanos()));
    try (LocalSegmentStore store = LocalSegmentStore.open(parts, options, 0, Clock.system())) {
      return store.recovery();
    }
  }

  private RecoveryReport run() throws IOException {
    Seal.breakOn(disk);
    clear();
    boolean done = false;
    RecoveryReport report;
    try {
      report = recovery.run(disk.lend(), next);
      swap();
      done = true;
    } finally {
      if (!done) {
        tryDelete(next);
      }
    }
    deleteReplaced();
    return report;
  }

  /** Does away with what an attempt that died has left. */
  private void clear() throws IOException {
    if (!isThere(catalog) && isThere(replaced)) {
      // It died between its renames. The new one is whole, but not known to be.
      move(replaced, catalog);
    }
    delete(replaced);
    delete(next);
  }

  private void swap() throws IOException {
    boolean aside = isThere(catalog);
    if (aside) {
      move(catalog, replaced);
    }
    boolean done = false;
    try {
      move(next, catalog);
      done = true;
    } finally {
      if (aside && !done) {
        move(replaced, catalog);
      }
    }
  }

  private void deleteReplaced() {
    // The renames survive power loss before the old one loses its first file.
    try (FileChannel folder = FileChannel.open(disk.resolve(""), StandardOpenOption.READ)) {
      folder.force(true);
    } catch (IOException e) {
      log.warn("{} stays; nobody needs it if {} is there", replaced, catalog, e);
      return;
    }
    tryDelete(replaced);
  }

  private static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  private static boolean isThere(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static void tryDelete(Path tree) {
    try {
      delete(tree);
    } catch (IOException e) {
      log.warn("{} stays; nobody needs it", tree, e);
    }
  }

  private static void delete(Path tree) throws IOException {
    if (!isThere(tree)) {
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
