package io.sluice.coordinator.placement;

import io.sluice.coordinator.membership.DiskLoad;
import io.sluice.coordinator.membership.ServerLoad;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a server's free memory and disks are worth when partitions are dealt out. */
public final class FreeCapacity {
  /**
   * A free byte on disk counts a sixteenth of one in memory: about what NVMe bandwidth (2 GB/s) is
   * to that of one memory channel (25 GB/s and more), so that a server with empty disks and full
   * memory gets something, but one with empty memory gets more.
   */
  private static final int DISK_DISCOUNT = 16;

  /** The last twentieth of a disk is left to what is already placed there. */
  private static final int DISK_RESERVE = 20;

  /** Keeps sums of hostile figures inside 63 bits: more than any server has. */
  private static final long MAX = 1L << 55;

  private FreeCapacity() {}

  /** In bytes of memory; 0 if the server should get nothing. Hostile figures count as nothing. */
  public static long of(ServerLoad load) {
    long memory = headroom(load.memory().capacity(), load.memory().used());
    long disks = 0;
    Set<String> fileSystems = new HashSet<>();
    for (DiskLoad disk : load.disks()) {
      if (disk.healthy() && disk.capacity() > 0 && fileSystems.add(disk.fileSystem())) {
        long usable = disk.free() - disk.capacity() / DISK_RESERVE;
        disks += Math.max(0, Math.min(usable, disk.capacity())) / DISK_DISCOUNT;
      }
    }
    return Math.min(memory, MAX) + Math.min(Math.max(0, disks), MAX);
  }

  /** The same for a server with nothing on it. */
  public static long whenEmpty(ServerLoad load) {
    return whenEmpty(load, false);
  }

  /** The same if all its disks took writes. */
  public static long whenEmptyAndSound(ServerLoad load) {
    return whenEmpty(load, true);
  }

  private static long whenEmpty(ServerLoad load, boolean sound) {
    List<DiskLoad> empty =
        load.disks().stream()
            .map(
                disk ->
                    new DiskLoad(
                        disk.path(),
                        disk.capacity(),
                        disk.capacity(),
                        sound || disk.healthy(),
                        disk.fileSystem()))
            .toList();
    return of(
        new ServerLoad(new ServerLoad.Memory(load.memory().capacity(), 0), empty, load.traffic()));
  }

  private static long headroom(long capacity, long used) {
    return capacity <= 0 || used < 0 ? 0 : Math.max(0, capacity - used);
  }
}
