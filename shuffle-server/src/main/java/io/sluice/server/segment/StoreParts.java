package io.sluice.server.segment;

import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskQueue;

/** What a store is made of, and owns: a disk, its catalog, and where its work is carried out. */
public record StoreParts(Disk disk, UnitCatalog catalog, DiskQueue queue) implements AutoCloseable {
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
