package io.sluice.server.segment;

import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.DiskQueue;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.ThreadedDiskQueue;

/**
 * What a store is made of, and owns: a disk, its catalog, and where its work is carried out.
 *
 * @param tier what kind of store that makes
 */
public record StoreParts(Disk disk, UnitCatalog catalog, DiskQueue queue, Tier tier)
    implements AutoCloseable {
  /** A disk of the first tier. */
  public StoreParts(Disk disk, UnitCatalog catalog, DiskQueue queue) {
    this(disk, catalog, queue, Tier.SSD);
  }

  /**
   * Those of a directory of this machine: its RocksDB catalog, and threads.
   *
   * @param disk belongs to them from here, also if that fails
   * @throws io.sluice.common.error.SluiceException CORRUPT_CATALOG, DISK_FAILED
   */
  static StoreParts local(LocalDisk disk, Tier tier, DiskOptions options) {
    UnitCatalog catalog;
    try {
      catalog =
          RocksUnitCatalog.open(disk.resolve(LocalSegmentStore.CATALOG), options.catalogMemory());
    } catch (RuntimeException e) {
      disk.close();
      throw e;
    }
    DiskQueue queue =
        new ThreadedDiskQueue(
            "disk-" + disk.resolve("").getFileName(), options, disk.patienceNanos());
    return new StoreParts(disk, catalog, queue, tier);
  }

  /** Queue first, since its tasks use the others; the disk's lock last. */
  @Override
  public void close() {
    queue.close();
    try {
      catalog.close();
    } finally {
      disk.close();
    }
  }
}
