package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.ServerLoad;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiskSpaceTest {
  private static DiskLoad disk(String fileSystem, long capacity, long free) {
    return disk(fileSystem, capacity, free, true);
  }

  private static DiskLoad disk(String fileSystem, long capacity, long free, boolean healthy) {
    return DiskLoad.newBuilder()
        .setCapacityBytes(capacity)
        .setFreeBytes(free)
        .setFileSystem(fileSystem)
        .setHealthy(healthy)
        .build();
  }

  private static DiskSpace of(DiskLoad... disks) {
    return DiskSpace.of(ServerLoad.newBuilder().addAllDisks(List.of(disks)).build());
  }

  @Test
  void countsAFileSystemOnce() {
    assertThat(of(disk("device 1", 100, 40), disk("device 1", 100, 40), disk("device 2", 10, 5)))
        .isEqualTo(new DiskSpace(110, 45, 3, 3));
  }

  @Test
  void countsEachDiskOfAServerThatDoesNotSay() {
    assertThat(of(disk("", 100, 40), disk("", 100, 40))).isEqualTo(new DiskSpace(200, 80, 2, 2));
  }

  @Test
  void findsNoRoomOnADiskThatTakesNoWrites() {
    DiskSpace space = of(disk("device 1", 100, 40, false), disk("device 2", 10, 5));

    assertThat(space).isEqualTo(new DiskSpace(110, 5, 2, 1));
    assertThat(space.health()).isEqualTo("1 of 2");
  }

  @Test
  void findsRoomOnAFileSystemOfWhichOneDirectoryTakesWrites() {
    assertThat(of(disk("device 1", 100, 40, false), disk("device 1", 100, 40)))
        .isEqualTo(new DiskSpace(100, 40, 2, 1));
  }

  @Test
  void aServerMayHaveNone() {
    assertThat(of().health()).isEqualTo("none");
  }
}
