package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that reach the disk, catalog records included, against bytes that were spilled. */
class WriteAmplificationTest {
  private static final ShuffleKey SHUFFLE = TestBlocks.shuffle(1);

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  @Test
  void fullUnitsOfSmallExtentsCostAtMostTwoPercent() {
    // 1000-byte extents: a shuffle of 4000 partitions whose units are full all the same.
    assertThat(amplification(960)).isBetween(1.0, 1.02);
  }

  @Test
  void fullUnitsOfUsualExtentsCostAtMostHalfAPercent() {
    assertThat(amplification(14 << 10)).isBetween(1.0, 1.005);
  }

  private double amplification(int storedLength) {
    try (LocalSegmentStore store =
        LocalSegmentStore.open(LocalDisk.open(directory), DiskOptions.ssd(), 1, Clock.system())) {
      StoreDriver driver = new StoreDriver(store);
      for (int unit = 0; unit < 4; unit++) {
        driver.write(SHUFFLE, builder -> fill(builder, storedLength));
      }
      SegmentStore.DiskUsage usage = store.usage();
      assertThat(usage.payloadBytesWritten()).isGreaterThan(15 << 20);
      return (double) usage.bytesWritten() / usage.payloadBytesWritten();
    }
  }

  private static void fill(UnitBuilder unit, int storedLength) {
    int partition = 0;
    while (unit.remaining() >= storedLength + 40) {
      TestBlocks.stage(unit, partition++, 1, storedLength);
    }
  }
}
