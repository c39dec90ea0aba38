package io.sluice.cli.cluster;

import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.ServerLoad;
import java.util.HashSet;
import java.util.Set;

/**
 * The disks of a server together. A file system counts once, however many data directories lie on
 * it.
 *
 * @param capacity bytes of all of them
 * @param free bytes left on those that take writes: nothing can be put anywhere else
 * @param disks data directories and HDFS, as the server has reported them
 * @param working how many of these take writes
 */
record DiskSpace(long capacity, long free, int disks, int working) {

  static DiskSpace of(ServerLoad load) {
    long capacity = 0;
    long free = 0;
    int working = 0;
    Set<String> seen = new HashSet<>();
    Set<String> seenFree = new HashSet<>();
    for (DiskLoad disk : load.getDisksList()) {
      if (isFirst(disk, seen)) {
        capacity += disk.getCapacityBytes();
      }
      if (disk.getHealthy()) {
        working++;
        free += isFirst(disk, seenFree) ? disk.getFreeBytes() : 0;
      }
    }
    return new DiskSpace(capacity, free, load.getDisksCount(), working);
  }

  /** A server of an older version does not say where its directories lie: then each counts. */
  private static boolean isFirst(DiskLoad disk, Set<String> seen) {
    return disk.getFileSystem().isEmpty() || seen.add(disk.getFileSystem());
  }

  /** How many of how many work. */
  String health() {
    return disks == 0 ? "none" : working + " of " + disks;
  }
}
