package io.sluice.cli.cluster;

import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.ServerLoad;
import java.util.HashSet;
import java.util.Set;

/**
 * The disks of a server together, in bytes. A file system counts once, however many data
 * directories lie on it.
 */
record DiskSpace(long capacity, long free) {

  static DiskSpace of(ServerLoad load) {
    long capacity = 0;
    long free = 0;
    Set<String> seen = new HashSet<>();
    for (DiskLoad disk : load.getDisksList()) {
      // A server of an older version does not say: then each counts.
      if (disk.getFileSystem().isEmpty() || seen.add(disk.getFileSystem())) {
        capacity += disk.getCapacityBytes();
        free += disk.getFreeBytes();
      }
    }
    return new DiskSpace(capacity, free);
  }
}
