package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.time.Clock;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.SimulatedDisk;
import io.sluice.server.disk.ThreadedDiskQueue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store whose disk does not answer, with the threads of a real one. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HungDiskTest {
  private final SimulatedDisk disk = new SimulatedDisk("sim", 1 << 30);
  private final ThreadedDiskQueue queue =
      new ThreadedDiskQueue("sim", SimulatedStore.OPTIONS, TimeUnit.MILLISECONDS.toNanos(300));
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);

  @AfterEach
  void answer() {
    answer.countDown();
  }

  private void hang() {
    begun.countDown();
    try {
      answer.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private LocalSegmentStore open() {
    return LocalSegmentStore.open(
        new StoreParts(disk, new SimulatedCatalog(), queue),
        SimulatedStore.OPTIONS,
        1,
        Clock.system());
  }

  @Test
  void aSyncThatDoesNotReturnHoldsUpNoReaderAndIsLeftAloneInTheEnd() throws Exception {
    LocalSegmentStore store = open();
    StoreDriver driver = new StoreDriver(store);
    Extent extent =
        driver.write(TestBlocks.shuffle(1), unit -> TestBlocks.stage(unit, 1, 1, 3000)).get(0);
    disk.faults().duringNextForce(this::hang);

    CompletableFuture<Void> synced = store.sync();
    begun.await();
    assertThat(driver.read(extent)).isEqualTo(TestBlocks.extent(1, 1, 3000));
    assertThat(synced).isNotDone();
    store.close();

    assertThat(queue.isStuck()).isTrue();
    assertThat(disk.isKept()).as("locked while somebody may still write there").isTrue();
    assertThat(synced).isNotDone();
  }

  @Test
  void isClosedWithoutTheWriteThatDoesNotReturnWhoseCallerHearsSo() throws Exception {
    LocalSegmentStore store = open();
    disk.faults().duringNextWrite(this::hang);
    CompletableFuture<List<Extent>> written =
        new StoreDriver(store)
            .startWrite(TestBlocks.shuffle(1), unit -> TestBlocks.stage(unit, 1, 1, 3000));
    begun.await();

    store.close();

    assertThat(queue.isStuck()).isTrue();
    assertThat(written).isDone();
    assertThatThrownBy(() -> StoreDriver.await(written))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
    // What the write uses is still there when it returns.
    assertThat(disk.openFiles()).isEqualTo(1);
  }
}
