package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.ServerLoad;
import org.junit.jupiter.api.Test;

class DiskSpaceTest {
  private static DiskLoad disk(String fileSystem, long capacity, long free) {
    return DiskLoad.newBuilder()
        .setCapacityBytes(capacity)
        .setFreeBytes(free)
        .setFileSystem(fileSystem)
        .build();
  }

  @Test
  void countsAFileSystemOnce() {
    ServerLoad load =
        ServerLoad.newBuilder()
            .addDisks(disk("device 1", 100, 40))
            .addDisks(disk("device 1", 100, 40))
            .addDisks(disk("device 2", 10, 5))
            .build();
    assertThat(DiskSpace.of(load)).isEqualTo(new DiskSpace(110, 45));
  }

  @Test
  void countsEachDiskOfAServerThatDoesNotSay() {
    ServerLoad load =
        ServerLoad.newBuilder().addDisks(disk("", 100, 40)).addDisks(disk("", 100, 40)).build();
    assertThat(DiskSpace.of(load)).isEqualTo(new DiskSpace(200, 80));
  }
}
