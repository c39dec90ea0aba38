package io.sluice.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds out whether a disk works: writes a page the way units are written, syncs it, reads it back
 * and deletes it; then whether its catalog takes records. Blocks; on a thread of the disk.
 */
final class DiskProbe {
  private static final String FILE = "probe/health.tmp";

  private final Disk disk;
  private final long neededSpace;
  private final Runnable records;
  private final ByteBuffer page = AlignedBuffers.allocate(Disk.ALIGNMENT);
  private long round;

  /**
   * @param neededSpace bytes that must be free
   * @param records throws if the catalog takes no records and could not be mended
   */
  DiskProbe(Disk disk, long neededSpace, Runnable records) {
    this.disk = disk;
    this.neededSpace = neededSpace;
    this.records = records;
  }

  /**
   * @throws IOException if the disk does not work
   * @throws RuntimeException if its catalog does not
   */
  void run() throws IOException {
    disk.check();
    long free = disk.free();
    if (free < neededSpace) {
      throw new IOException(free + " bytes free, " + neededSpace + " needed");
    }
    disk.delete(FILE);
    round++;
    try (DiskFile file = disk.create(FILE)) {
      page.clear().putLong(0, round);
      while (page.hasRemaining()) {
        if (file.write(page, page.position()) <= 0) {
          throw new IOException("the disk takes no bytes");
        }
      }
      file.force();
    }
    try (DiskFile file = disk.openForAlignedRead(FILE)) {
      page.clear();
      while (page.hasRemaining()) {
        if (file.read(page, page.position()) < 0) {
          throw new IOException("the disk lost what was just written");
        }
      }
    }
    if (page.getLong(0) != round) {
      throw new IOException("the disk returns other bytes than were written");
    }
    disk.delete(FILE);
    // Last: without room the record that is tried would be what the catalog fails at.
    records.run();
  }
}
