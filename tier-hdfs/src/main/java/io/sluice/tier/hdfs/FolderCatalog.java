package io.sluice.tier.hdfs;

import io.sluice.common.error.SluiceException;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.catalog.UnitCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the catalog of a server's own folder on HDFS. It lies on a local disk, which may have been
 * away while the folder was used with another catalog, or with none. Such a catalog knows segments
 * that are gone and lacks others, and its removals name numbers that were given anew. So catalog
 * and folder bear the same stamp, a new one with each start, and a catalog with another one is
 * cleared: what it said is read from headers.
 */
final class FolderCatalog {
  private static final Logger log = LoggerFactory.getLogger(FolderCatalog.class);
  private static final String NAME = "hdfs-catalog";

  private FolderCatalog() {}

  /**
   * @param folder the server's, on HDFS
   * @param localFolder where the catalog lies; without there is none
   * @param memory of the catalog, in bytes
   * @throws IOException if HDFS does not answer; what goes with the folder is no catalog then, or
   *     the one it was
   */
  static UnitCatalog open(
      HdfsClient client, org.apache.hadoop.fs.Path folder, Optional<Path> localFolder, long memory)
      throws IOException {
    CatalogStamp stamp = new CatalogStamp(client, folder);
    if (localFolder.isPresent()) {
      try {
        RocksUnitCatalog catalog = RocksUnitCatalog.open(localFolder.get().resolve(NAME), memory);
        tie(catalog, stamp, folder);
        return new SpareCatalog(catalog, stamp::remove);
      } catch (SluiceException e) {
        log.warn("the catalog of HDFS cannot be opened; unit headers are read instead", e);
      }
    }
    stamp.remove();
    return new HeaderCatalog();
  }

  /**
   * @param catalog closed if that fails
   */
  private static void tie(
      RocksUnitCatalog catalog, CatalogStamp stamp, org.apache.hadoop.fs.Path folder)
      throws IOException {
    boolean tied = false;
    try {
      Optional<UUID> ofFolder = stamp.read();
      Optional<UUID> ofCatalog = Optional.ofNullable(catalog.stamp());
      if (ofFolder.isEmpty() || !ofFolder.equals(ofCatalog)) {
        if (ofFolder.isPresent() || ofCatalog.isPresent()) {
          log.info("{}: its catalog is of another time; unit headers are read instead", folder);
        }
        catalog.clear();
      }
      UUID next = UUID.randomUUID();
      stamp.write(next);
      catalog.stamp(next);
      tied = true;
    } finally {
      if (!tied) {
        close(catalog);
      }
    }
  }

  private static void close(RocksUnitCatalog catalog) {
    try {
      catalog.close();
    } catch (SluiceException e) {
      log.warn("the catalog of HDFS was not closed", e);
    }
  }
}
