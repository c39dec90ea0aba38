package io.sluice.server.segment;

import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskQueue;

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
