package io.sluice.tier.hdfs;

import io.sluice.common.error.SluiceException;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.tier.SpareFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the catalog of a server's own folder on HDFS. It lies on a local disk, which may have been
 * away while the folder was used with another catalog, or with none. Such a catalog knows segments
 * that are gone and lacks others, and its removals name numbers that were given anew. So catalog
 * and folder bear the same stamp, a new one with each start, and a catalog with another one is
 * cleared: what it said is read from headers.
 *
 * <p>A disk that hangs meanwhile is waited for as long as for any access to a local disk, and the
 * folder then bears no stamp before anybody goes on without the catalog: what the disk still does
 * to it makes no start believe it. Nor does that come in the way of a process that has the
 * directory by then: RocksDB locks a catalog by itself, and one of the two does without. As long as
 * one thread hangs no other is sent after it, however often the tier is opened meanwhile.
 */
final class FolderCatalog {
  private static final Logger log = LoggerFactory.getLogger(FolderCatalog.class);
  private static final String NAME = "hdfs-catalog";

  private final CatalogStamp stamp;
  private final org.apache.hadoop.fs.Path folder;
  private final SpareCatalog.Patience patience;
  private final CatalogThread thread;

  /** Set and closed by the thread. */
  private @Nullable RocksUnitCatalog opened;

  private FolderCatalog(
      CatalogStamp stamp,
      org.apache.hadoop.fs.Path folder,
      CatalogThread thread,
      SpareCatalog.Patience patience) {
    this.stamp = stamp;
    this.folder = folder;
    this.thread = thread;
    this.patience = patience;
  }

  /**
   * @param folder the server's, on HDFS
   * @param localFolder where the catalog lies; without there is none, nor while one that was opened
   *     there before is not closed
   * @param opening opens the catalog that lies at a path
   * @throws IOException if HDFS does not answer; what goes with the folder is no catalog then, or
   *     the one it was
   */
  static UnitCatalog open(
      HdfsClient client,
      org.apache.hadoop.fs.Path folder,
      Optional<SpareFolder> localFolder,
      Function<Path, RocksUnitCatalog> opening,
      SpareCatalog.Patience patience)
      throws IOException {
    CatalogStamp stamp = new CatalogStamp(client, folder);
    if (localFolder.isPresent()) {
      SpareFolder local = localFolder.get();
      // Asked first: an HDFS that is away takes the folder from nobody.
      Optional<UUID> ofFolder = stamp.read();
      if (local.tryTake()) {
        Path path = local.path().resolve(NAME);
        try {
          return new FolderCatalog(stamp, folder, new CatalogThread(local::giveBack), patience)
              .open(() -> opening.apply(path), ofFolder);
        } catch (SluiceException e) {
          log.warn("the catalog of HDFS cannot be opened; unit headers are read instead", e);
        }
      } else {
        log.warn(
            "the catalog of HDFS was opened before, and its disk has not answered since; unit"
                + " headers are read instead");
      }
    }
    stamp.remove();
    return new HeaderCatalog();
  }

  /**
   * Opens the catalog and ties it to the folder.
   *
   * @throws SluiceException if the local disk does not give it; it is closed then
   */
  private UnitCatalog open(Supplier<RocksUnitCatalog> opening, Optional<UUID> ofFolder)
      throws IOException {
    boolean tied = false;
    try {
      RocksUnitCatalog catalog =
          onDisk(
              () -> {
                RocksUnitCatalog there = opening.get();
                opened = there;
                return there;
              });
      tie(catalog, ofFolder);
      tied = true;
      return new SpareCatalog(catalog, thread, stamp::remove, patience);
    } finally {
      if (!tied) {
        thread.end(this::closeWhatIsOpen, patience.recordNanos());
      }
    }
  }

  private <T> T onDisk(Callable<T> task) {
    return thread.call(task, patience.startNanos());
  }

  private void tie(RocksUnitCatalog catalog, Optional<UUID> ofFolder) throws IOException {
    Optional<UUID> ofCatalog = onDisk(() -> Optional.ofNullable(catalog.stamp()));
    UUID next = UUID.randomUUID();
    if (ofFolder.isEmpty() || !ofFolder.equals(ofCatalog)) {
      if (ofFolder.isPresent() || ofCatalog.isPresent()) {
        log.info("{}: its catalog is of another time; unit headers are read instead", folder);
      }
      onDisk(
          () -> {
            catalog.clear();
            return true;
          });
    }
    stamp.write(next);
    onDisk(
        () -> {
          catalog.stamp(next);
          return true;
        });
  }

  private void closeWhatIsOpen() {
    if (opened != null) {
      opened.close();
    }
  }
}
