package io.sluice.server.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.UnusedStore;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreRoomTest {
  @Test
  void isFullBelowWhatTheStoreIsComfortableWith() {
    assertThat(look(new Roomy(1L << 40, 1000, 1000))).isEqualTo(Fitness.CROWDED);
    assertThat(look(new Roomy(1L << 40, 999, 1000))).isEqualTo(Fitness.FULL);
  }

  @Test
  void aDiskIsComfortableWithAllThatItMayHaveUnderWayAndMore() {
    long unit = DiskOptions.ssd().stagingBuffer();
    long reserve = DiskOptions.ssd().reservedSpace();
    assertThat(DiskOptions.ssd().comfortableSpace())
        .isEqualTo(reserve + (1 + 5 + 4 + 1) * unit)
        .isGreaterThan(DiskOptions.ssd().neededSpace());
    assertThat(DiskOptions.hdd().comfortableSpace())
        .isEqualTo(reserve + (1 + 1 + 1 + 1) * (long) DiskOptions.hdd().stagingBuffer());
  }

  @Test
  void aStoreSaysWhatItsDiskIsComfortableWith(@TempDir Path directory) {
    DiskOptions options = DiskOptions.ssd().withSizes(64 << 10, 1 << 20);
    try (LocalSegmentStore store =
        LocalSegmentStore.open(LocalDisk.open(directory), options, 1, Clock.system())) {
      assertThat(store.comfortableSpace()).isEqualTo(options.comfortableSpace());
    }
  }

  @Test
  void isFitWithRoomAndAlsoIfItCannotTellItsSize() {
    assertThat(look(new Roomy(1L << 30, 1L << 29, 0))).isEqualTo(Fitness.FIT);
    assertThat(look(new Roomy(0, 0, 9))).isEqualTo(Fitness.FIT);
  }

  private static Fitness look(SegmentStore store) {
    return new StoreRoom(store, TierLimits.defaults()).look();
  }

  private record Roomy(long capacity, long free, long comfortableSpace) implements UnusedStore {
    @Override
    public String name() {
      return "roomy";
    }

    @Override
    public DiskUsage usage() {
      return new DiskUsage(capacity, free, 0, 0, 0, 0, 0, true);
    }
  }
}
