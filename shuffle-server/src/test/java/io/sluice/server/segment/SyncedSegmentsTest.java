package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.SimulatedDisk;
import io.sluice.server.disk.StepQueue;
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
  void aFileOfAKilledLifeThatCannotBeSyncedKeepsTheNextFromBeingSealed() {
    store.write(1, 1, 1, LENGTH);
    store.crash();
    store
        .disk()
        .faults()
        .duringNextForce(
            () -> {
              throw new SluiceException(ErrorCode.DISK_FAILED, "simulated sync error");
            });

    CompletableFuture<Void> synced = sync(store.store(), store.queue());

    assertThatThrownBy(() -> StoreDriver.await(synced))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
  }

  @Test
  void afterASealOnlyWhatIsWrittenSinceIsSynced() {
    Extent sealed = store.write(1, 1, 1, LENGTH);
    StoreDriver.await(sync(store.store(), store.queue()));
    store.store().close();
    store.disk().restart();
    StepQueue queue = new StepQueue();
    LocalSegmentStore next =
        LocalSegmentStore.open(
            new StoreParts(store.disk(), store.catalog(), queue),
            SimulatedStore.OPTIONS,
            new StoreLife(2, true),
            Clock.system());
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
