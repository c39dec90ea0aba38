package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.World;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.SimulatedDisk;
import org.junit.jupiter.api.Test;

/** When a catalog is tidied: with the last segment, on a disk that works and has room. */
class CatalogTidyTest {
  private static final int LENGTH = 500;

  private final SimulatedStore store = store(1 << 30, SimulatedStore.OPTIONS);

  private static SimulatedStore store(long capacity, DiskOptions options) {
    return new SimulatedStore(
        new SimulatedDisk("sim", capacity), new SimulatedCatalog(), options, new World(1));
  }

  private static void remove(SimulatedStore store, int shuffle) {
    store.store().remove(TestBlocks.shuffle(shuffle));
    store.queue().runChores();
  }

  @Test
  void itIsWithTheLastSegment() {
    store.write(1, 1, 2, LENGTH);
    store.write(2, 1, 2, LENGTH);

    remove(store, 1);
    assertThat(store.catalog().tidied()).isZero();
    remove(store, 2);
    assertThat(store.catalog().tidied()).isEqualTo(1);
  }

  @Test
  void itIsNotOnADiskWithoutRoomForAUnit() {
    DiskOptions options = new DiskOptions(64 << 10, 2, 1 << 20, 1, 64, 8, 1 << 20, 0);
    SimulatedStore full = store(20 << 10, options);
    full.write(1, 1, 1, LENGTH);

    remove(full, 1);

    assertThat(full.disk().files()).isEmpty();
    assertThat(full.catalog().tidied()).isZero();
  }

  /** What was known of its room is of before. */
  @Test
  void itIsOnADiskThatHasRoomSinceThatSegmentIsGone() {
    store.write(1, 1, 2, LENGTH);
    long length = store.disk().length(store.disk().files().get(0));
    remove(store, 1);
    SimulatedStore small =
        store(SimulatedStore.OPTIONS.neededSpace() + length / 2, SimulatedStore.OPTIONS);
    small.write(1, 1, 2, LENGTH);
    assertThat(small.store().usage().free()).isLessThan(SimulatedStore.OPTIONS.neededSpace());

    remove(small, 1);

    assertThat(small.catalog().tidied()).isEqualTo(1);
  }

  /** A second chore might come too late for a queue that closes. */
  @Test
  void whatIsRemovedMeanwhileIsUnlinkedByTheSameChore() {
    store.write(1, 1, 2, LENGTH);
    store
        .catalog()
        .duringNextTidy(
            () -> {
              store.write(2, 1, 2, LENGTH);
              store.store().remove(TestBlocks.shuffle(2));
              assertThat(store.queue().chores()).isZero();
            });

    remove(store, 1);

    assertThat(store.disk().files()).isEmpty();
    assertThat(store.catalog().tidied()).isEqualTo(2);
  }

  @Test
  void itIsNotOnADiskThatIsFenced() {
    store.write(1, 1, 2, LENGTH);
    store.disk().faults().failWrites(1);
    assertThat(store.startWrite(1, unit -> TestBlocks.stage(unit, 2, 2, LENGTH)))
        .isCompletedExceptionally();

    remove(store, 1);

    assertThat(store.store().health().healthy()).isFalse();
    assertThat(store.disk().files()).isEmpty();
    assertThat(store.catalog().tidied()).isZero();
  }

  @Test
  void aDiskThatFailsAtItIsFenced() {
    store.write(1, 1, 2, LENGTH);
    store.catalog().failTidy(ErrorCode.DISK_FAILED);

    remove(store, 1);

    assertThat(store.store().health().healthy()).isFalse();
  }

  /** It takes everything else, and a fence would fall and rise again. */
  @Test
  void aDamagedRecordFencesNoDisk() {
    store.write(1, 1, 2, LENGTH);
    store.catalog().failTidy(ErrorCode.CORRUPT_CATALOG);

    remove(store, 1);

    assertThat(store.catalog().tidied()).isEqualTo(1);
    assertThat(store.store().activity().fences()).isZero();
    store.write(2, 1, 2, LENGTH);
  }
}
