package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.World;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A disk that is watched: fenced when it fails, back when it works, left alone when it flickers.
 */
class DiskFenceTest {
  private static final int LENGTH = 3000;
  private static final long PROBE = TimeUnit.MILLISECONDS.toNanos(500);

  private final World world = new World(1);
  private final SimulatedStore store =
      new SimulatedStore(
          new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SimulatedStore.OPTIONS, world);

  private boolean healthy() {
    return store.store().health().healthy();
  }

  private void failAWrite() {
    store.disk().faults().failWrites(1);
    assertThat(store.startWrite(1, unit -> TestBlocks.stage(unit, 1, 1, LENGTH)))
        .isCompletedExceptionally();
  }

  /** Lets so many probes happen. */
  private void probe(int times) {
    for (int i = 0; i < times; i++) {
      world.advance(PROBE);
      store.queue().runChores();
    }
  }

  private void assertNothingIsLeft() {
    for (int shuffle = 1; shuffle < 10; shuffle++) {
      store.store().remove(TestBlocks.shuffle(shuffle));
    }
    store.queue().runChores();
    assertThat(store.disk().files()).isEmpty();
    assertThat(store.disk().openFiles()).isZero();
    assertThat(store.store().activity().reads().now().cachedBytes()).isZero();
    assertThat(store.store().activity().reads().now().requests()).isZero();
    assertThat(store.store().activity().io().underWay()).isZero();
    assertThat(store.catalog().units()).isZero();
  }

  @Test
  void aFencedDiskTakesNoUnitsStillReadsAndCallsWhenItIsBack() {
    Extent before = store.write(1, 1, 2, LENGTH);
    failAWrite();
    AtomicInteger called = new AtomicInteger();

    assertThat(store.store().tryStage(TestBlocks.shuffle(1), called::incrementAndGet)).isNull();
    assertThat(store.read(before)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    probe(1);
    assertThat(healthy()).isFalse();
    assertThat(called).hasValue(0);
    probe(1);

    assertThat(healthy()).isTrue();
    assertThat(called).hasValue(1);
    assertThat(store.store().activity().fences()).isEqualTo(1);
    Extent after = store.write(1, 2, 2, LENGTH);
    assertThat(store.read(after)).isEqualTo(TestBlocks.extent(2, 2, LENGTH));
    assertNothingIsLeft();
  }

  @Test
  void aDiskStaysFencedAsLongAsItsProbesFail() {
    failAWrite();
    store.disk().faults().failWrites(20);

    probe(21);
    assertThat(healthy()).isFalse();
    probe(1);

    assertThat(healthy()).isTrue();
    assertNothingIsLeft();
  }

  @Test
  void aCatalogThatTakesNoRecordsIsMendedByTheProbeOrTheDiskStaysFenced() {
    Extent before = store.write(1, 1, 2, LENGTH);
    store.catalog().stick(3);
    assertThat(store.startWrite(1, unit -> TestBlocks.stage(unit, 2, 1, LENGTH)))
        .isCompletedExceptionally();
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();
    assertThat(store.disk().files()).isNotEmpty();

    probe(4);
    assertThat(healthy()).isFalse();
    probe(1);

    assertThat(healthy()).isTrue();
    assertThat(store.store().activity().fences()).isEqualTo(1);
    store.queue().runChores();
    assertThat(store.disk().files()).doesNotContain(store.file(before, 1));
    Extent after = store.write(2, 2, 2, LENGTH);
    assertThat(store.read(after)).isEqualTo(TestBlocks.extent(2, 2, LENGTH));
    assertNothingIsLeft();
  }

  @Test
  void aRelapseTakesLongerToRecoverEachTime() {
    List<Integer> probesNeeded = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      failAWrite();
      int probes = 0;
      while (!healthy()) {
        probe(1);
        probes++;
      }
      probesNeeded.add(probes);
    }
    assertThat(probesNeeded).containsExactly(2, 4, 8, 16, 32);

    world.advance(TimeUnit.MINUTES.toNanos(2));
    failAWrite();
    probe(2);

    assertThat(healthy()).isTrue();
    assertNothingIsLeft();
  }

  @Test
  void oneBadPlaceDoesNotFenceADiskAndSeveralDo() {
    List<Extent> extents = new ArrayList<>();
    for (int shuffle = 1; shuffle <= 3; shuffle++) {
      extents.add(store.write(shuffle, 1, 2, LENGTH));
    }
    for (int i = 0; i < 5; i++) {
      assertReadFails(extents.get(0));
    }
    assertThat(healthy()).isTrue();
    assertReadFails(extents.get(1));
    assertThat(healthy()).isTrue();
    assertReadFails(extents.get(2));
    assertThat(healthy()).isFalse();

    assertThat(store.read(extents.get(0))).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    probe(2);
    assertThat(healthy()).isTrue();
    assertNothingIsLeft();
  }

  private void assertReadFails(Extent extent) {
    store.disk().faults().failReads(2);
    CompletableFuture<?> read = store.driver().startRead(extent, 0, extent.length());
    store.queue().runReads();
    assertThatThrownBy(() -> StoreDriver.await(read))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
  }

  @Test
  void aDiskThatHangsLosesItsReadersAtOnceAndServesThemAgainWhenItIsBack() {
    Extent extent = store.write(1, 1, 2, LENGTH);
    AtomicInteger asserted = new AtomicInteger();
    CompletableFuture<ByteBuffer> first = store.driver().startRead(extent, 0, extent.length());
    store
        .disk()
        .faults()
        .duringNextRead(
            () -> {
              world.advance(TimeUnit.SECONDS.toNanos(31));
              assertThat(healthy()).isFalse();
              assertThatThrownBy(() -> StoreDriver.await(first))
                  .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DATA_LOST));
              assertThatThrownBy(() -> StoreDriver.await(store.driver().startRead(extent, 0, 100)))
                  .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DATA_LOST))
                  .hasMessageContaining("sim")
                  .hasMessageContaining("partition 1");
              asserted.incrementAndGet();
            });
    store.queue().runReads();
    assertThat(asserted).hasValue(1);
    probe(5);

    assertThat(healthy()).isTrue();
    assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    assertNothingIsLeft();
  }

  @Test
  void aSegmentThatCouldNotBeUnlinkedIsTriedAgainUntilItIsGone() {
    store.write(1, 1, 2, LENGTH);
    store.disk().faults().failDeletes(3);
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();
    assertThat(store.store().activity().unlinking()).isEqualTo(1);
    assertThat(store.disk().files()).isNotEmpty();

    // After one second, three, seven.
    for (int second = 1; second <= 6; second++) {
      world.advance(TimeUnit.SECONDS.toNanos(1));
      store.queue().runChores();
      assertThat(store.disk().files()).as("after %s s", second).isNotEmpty();
    }
    world.advance(TimeUnit.SECONDS.toNanos(1));
    store.queue().runChores();

    assertThat(store.store().activity().unlinking()).isZero();
    assertNothingIsLeft();
  }

  @Test
  void aSegmentThatCouldNotBeUnlinkedGoesWithTheNextOneThatCan() {
    store.write(1, 1, 2, LENGTH);
    store.write(2, 1, 2, LENGTH);
    store.disk().faults().failDeletes(1);
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();

    store.store().remove(TestBlocks.shuffle(2));
    store.queue().runChores();

    assertNothingIsLeft();
  }
}
