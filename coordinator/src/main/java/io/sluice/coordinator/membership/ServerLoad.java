package io.sluice.coordinator.membership;

import java.util.List;

/** What a server reports about itself; sizes in bytes, counters since its start. */
public record ServerLoad(Memory memory, List<DiskLoad> disks, Traffic traffic) {
  /** Nothing reported yet: such a server has no room. */
  public static final ServerLoad UNKNOWN =
      new ServerLoad(new Memory(0, 0), List.of(), new Traffic(0, 0, 0, 0, 0));

  public ServerLoad {
    disks = List.copyOf(disks);
  }

  /** Whether it has disks, and none of them takes writes. */
  public boolean isWithoutDisk() {
    return !disks.isEmpty() && disks.stream().noneMatch(DiskLoad::healthy);
  }

  /** The chunk arena. */
  public record Memory(long capacity, long used) {}

  /** What the server is busy with. */
  public record Traffic(
      long connections, long partitions, long pushed, long fetched, long spilled) {}
}
