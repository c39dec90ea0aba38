package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.time.Clock;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.SimulatedDisk;
import io.sluice.server.disk.StepQueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a life that is to be sealed syncs of those that were killed before it. */
class SyncedSegmentsTest {
  private static final int LENGTH = 3000;

  private final SimulatedStore store = new SimulatedStore();

  private static CompletableFuture<Void> sync(LocalSegmentStore store, StepQueue queue) {
    CompletableFuture<Void> synced = store.sync();
    queue.runChores();
    return synced;
  }

  private void assertSyncFails() {
    CompletableFuture<Void> synced = sync(store.store(), store.queue());

    assertThatThrownBy(() -> StoreDriver.await(synced))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
  }

  @Test
  void whatAKilledLifeLeftSurvivesPowerLossOnceALaterOneIsSynced() {
    for (int seed = 0; seed < 50; seed++) {
      SimulatedStore killed =
          new SimulatedStore(
              new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SimulatedStore.OPTIONS);
      Extent first = killed.write(1, 1, 4, LENGTH);
      killed.crash();
      Extent second = killed.write(2, 2, 4, LENGTH);
      killed.crash();
      StoreDriver.await(sync(killed.store(), killed.queue()));
      killed.queue().die();
      killed.disk().losePower(new SplittableRandom(seed));

      killed.crash();

      assertThat(killed.store().lostUnits()).isZero();
      assertThat(killed.read(first)).isEqualTo(TestBlocks.extent(1, 4, LENGTH));
      assertThat(killed.read(second)).isEqualTo(TestBlocks.extent(2, 4, LENGTH));
    }
  }

  @Test
  void whatWasRemovedBeforeItWasSyncedStaysAwayAfterPowerLoss() {
    for (int seed = 0; seed < 50; seed++) {
      SimulatedStore removing =
          new SimulatedStore(
              new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SimulatedStore.OPTIONS);
      removing.write(1, 1, 4, LENGTH);
      StoreDriver.await(sync(removing.store(), removing.queue()));
      removing.store().remove(TestBlocks.shuffle(1));
      removing.queue().runChores();
      StoreDriver.await(sync(removing.store(), removing.queue()));
      removing.queue().die();
      removing.disk().losePower(new SplittableRandom(seed));

      removing.crash();

      assertThat(removing.recovered(1)).isEmpty();
      assertThat(removing.disk().files()).isEmpty();
    }
  }

  @Test
  void aFileOfAKilledLifeThatCannotBeSyncedKeepsTheNextFromBeingSealed() {
    store.write(1, 1, 1, LENGTH);
    store.crash();
    store.disk().faults().failForces(1);

    assertSyncFails();
  }

  @Test
  void aFolderWhoseNamesCannotBeSyncedKeepsALifeFromBeingSealed() {
    store.write(1, 1, 1, LENGTH);
    StoreDriver.await(sync(store.store(), store.queue()));
    // No file is left to be synced, so it is the folder's.
    store.disk().faults().failForces(1);

    assertSyncFails();
  }

  @Test
  void aProcessThatOpensNothingAnyMoreLeavesNoFileOfAKilledLifeOut() {
    Extent closed = store.write(1, 1, 1, LENGTH);
    store.crash();
    store.disk().faults().deny(store.file(closed, 1));
    store.disk().faults().deny(SegmentFileName.FOLDER);

    assertSyncFails();
  }

  @Test
  void aFileOfAKilledLifeThatMayNotBeOpenedCostsTheSealItselfAndNoOther() {
    Extent closed = store.write(1, 1, 2, LENGTH);
    Extent killed = store.write(2, 1, 2, LENGTH);
    store.crash();
    Extent own = store.write(3, 1, 2, LENGTH);
    store.disk().faults().deny(store.file(closed, 1));
    StoreDriver.await(sync(store.store(), store.queue()));
    store.store().close();
    store.disk().losePower(new SplittableRandom(1));

    StepQueue queue = new StepQueue();
    LocalSegmentStore next = afterSeal(3, queue);

    assertThat(next.lostUnits()).isZero();
    assertThat(read(next, queue, killed)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    assertThat(read(next, queue, own)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    // It is missed by whoever wants it, and by nobody without a word.
    assertThat(next.recovered().get(TestBlocks.shuffle(1))).hasSize(1);
    assertThatThrownBy(() -> read(next, queue, closed))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
    next.close();
  }

  @Test
  void aFileOfThisLifeThatMayNotBeOpenedKeepsItFromBeingSealed() {
    Extent own = store.write(1, 1, 1, LENGTH);
    store.disk().faults().deny(store.file(own, 1));

    assertSyncFails();
  }

  private LocalSegmentStore afterSeal(long incarnation, StepQueue queue) {
    return LocalSegmentStore.open(
        new StoreParts(store.disk(), store.catalog(), queue),
        SimulatedStore.OPTIONS,
        new StoreLife(incarnation, true),
        Clock.system());
  }

  private static ByteBuffer read(LocalSegmentStore store, StepQueue queue, Extent extent) {
    CompletableFuture<ByteBuffer> done =
        new StoreDriver(store).startRead(extent, 0, extent.length());
    queue.runReads();
    return StoreDriver.await(done);
  }

  @Test
  void afterASealOnlyWhatIsWrittenSinceIsSynced() {
    Extent sealed = store.write(1, 1, 1, LENGTH);
    StoreDriver.await(sync(store.store(), store.queue()));
    store.store().close();
    store.disk().restart();
    StepQueue queue = new StepQueue();
    LocalSegmentStore next = afterSeal(2, queue);
    List<String> forced = new ArrayList<>();
    store.disk().faults().duringNextForce(() -> forced.add("a file"));

    StoreDriver.await(sync(next, queue));
    assertThat(next.recovered().get(TestBlocks.shuffle(1)))
        .usingRecursiveComparison()
        .isEqualTo(List.of(sealed));
    assertThat(forced).isEmpty();

    CompletableFuture<List<Extent>> written =
        new StoreDriver(next)
            .startWrite(TestBlocks.shuffle(2), unit -> TestBlocks.stage(unit, 1, 1, LENGTH));
    queue.runWrites();
    StoreDriver.await(written);
    StoreDriver.await(sync(next, queue));
    assertThat(forced).hasSize(1);
    next.close();
  }
}
