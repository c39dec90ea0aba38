package io.sluice.server.segment;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.IoMeter;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps room on a store's disk for the next start, which may find the disk full. Blocks, on threads
 * that may wait for the disk; a failure costs nobody but that start.
 */
final class RoomForStarts {
  private static final Logger log = LoggerFactory.getLogger(RoomForStarts.class);

  private final Disk disk;
  private final DiskOptions options;
  private final DiskWatch watch;

  RoomForStarts(Disk disk, DiskOptions options, DiskWatch watch) {
    this.disk = disk;
    this.options = options;
    this.watch = watch;
  }

  void keep() {
    IoMeter.Access access = watch.begin(IoMeter.Kind.ASK);
    try {
      disk.keepStartRoom(options.startRoom(), options.neededSpace());
    } catch (IOException e) {
      log.warn("{}: no room is kept for a start", disk.name(), e);
    } finally {
      access.end();
    }
  }

  /** The same by the store that a process is about to close: else the next may be without. */
  void keepIfWatched() {
    if (watch.probes()) {
      keep();
    }
  }
}
