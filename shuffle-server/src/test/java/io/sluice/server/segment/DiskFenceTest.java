package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
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
    assertThat(store.catalog().units()).isEqualTo(1);

    probe(4);
    assertThat(healthy()).isFalse();
    probe(1);

    assertThat(healthy()).isTrue();
    assertThat(store.store().activity().fences()).isEqualTo(1);
    store.queue().runChores();
    assertThat(store.disk().files()).doesNotContain(store.file(before, 1));
    assertThat(store.catalog().units()).isZero();
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
  void aDiskThatHangsFailsItsTallyAtOnceAndTalliesAgainWhenItIsBack() {
    store.write(1, 1, 2, LENGTH);
    AtomicInteger asserted = new AtomicInteger();
    CompletableFuture<MapTally> first = store.driver().startTally(TestBlocks.shuffle(1));
    store
        .catalog()
        .duringNextScan(
            () -> {
              world.advance(TimeUnit.SECONDS.toNanos(31));
              assertThat(healthy()).isFalse();
              assertThatThrownBy(() -> StoreDriver.await(first))
                  .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DATA_LOST));
              assertThatThrownBy(() -> store.driver().whole(TestBlocks.shuffle(1)))
                  .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DATA_LOST));
              asserted.incrementAndGet();
            });
    store.queue().runChores();
    assertThat(asserted).hasValue(1);
    probe(5);

    assertThat(healthy()).isTrue();
    CompletableFuture<MapTally> second = store.driver().startTally(TestBlocks.shuffle(1));
    store.queue().runChores();
    assertThat(TestBlocks.whole(StoreDriver.await(second), 0))
        .containsExactly("0/1000:1", "1/1001:1");
    assertNothingIsLeft();
  }

  /** Submits a unit of one extent, and notes what its caller is told, and when. */
  private void submit(int shuffle, int partition, List<String> told) {
    UnitBuilder unit = store.driver().stage(TestBlocks.shuffle(shuffle));
    TestBlocks.stage(unit, partition, 2, LENGTH);
    store
        .store()
        .write(
            unit,
            (extents, failure) ->
                told.add(
                    partition
                        + " "
                        + (failure instanceof SluiceException coded ? coded.code() : "written")));
  }

  private void assertRecovered(Extent... extents) {
    store.crash();
    assertThat(store.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(extents));
    assertThat(store.recovered(2)).isEmpty();
  }

  @Test
  void aWriteThatDoesNotReturnIsGivenUpAtOnceAndOnceAndLeavesNothing() {
    Extent before = store.write(1, 1, 2, LENGTH);
    List<String> told = new ArrayList<>();
    submit(1, 2, told);
    submit(2, 3, told);
    store
        .disk()
        .faults()
        .duringNextWrite(
            () -> {
              world.advance(TimeUnit.SECONDS.toNanos(29));
              told.add("29 s");
              world.advance(TimeUnit.SECONDS.toNanos(2));
              told.add("31 s");
              assertThat(healthy()).isFalse();
            });
    store.queue().runWrites();

    // The second was waiting for the first, or the other way round for a disk that has several
    // writers.
    assertThat(told.subList(1, 3)).containsExactlyInAnyOrder("2 DISK_FAILED", "3 DISK_FAILED");
    assertThat(told).hasSize(4).startsWith("29 s").endsWith("31 s");
    assertThat(store.catalog().units()).isEqualTo(1);
    assertThat(store.disk().files()).containsExactly(store.file(before, 1));
    probe(5);
    assertThat(healthy()).isTrue();
    // Both buffers are there again, and the segment goes on where it was.
    submit(1, 4, told);
    submit(1, 5, told);
    store.queue().runWrites();
    assertThat(told).hasSize(6).endsWith("4 written", "5 written");
    store.crash();
    assertThat(store.recovered(1)).extracting(Extent::partition).containsExactly(1, 4, 5);
    assertThat(store.recovered(2)).isEmpty();
    for (Extent extent : store.recovered(1)) {
      assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), 2, LENGTH));
    }
    assertNothingIsLeft();
  }

  @Test
  void aUnitWhoseRecordComesTooLateIsTakenBack() {
    Extent before = store.write(1, 1, 2, LENGTH);
    List<String> told = new ArrayList<>();
    submit(1, 2, told);
    store.catalog().duringNextPut(() -> world.advance(TimeUnit.SECONDS.toNanos(31)));
    store.queue().runWrites();

    assertThat(told).containsExactly("2 DISK_FAILED");
    assertThat(store.catalog().units()).isEqualTo(1);
    assertRecovered(before);
  }

  /** Its bytes must not become those of another unit, which would be taken for this one. */
  @Test
  void aUnitWhoseRecordComesTooLateAndStaysKeepsItsBytes() {
    Extent before = store.write(1, 1, 2, LENGTH);
    List<String> told = new ArrayList<>();
    submit(1, 2, told);
    store.catalog().duringNextPut(() -> world.advance(TimeUnit.SECONDS.toNanos(31)));
    store.catalog().failDrops(1);
    store.queue().runWrites();
    assertThat(told).containsExactly("2 DISK_FAILED");
    probe(5);

    Extent after = store.write(1, 3, 2, LENGTH);

    assertThat(after.segment()).isNotEqualTo(before.segment());
    store.crash();
    assertThat(store.recovered(1)).extracting(Extent::partition).containsExactly(1, 2, 3);
    for (Extent extent : store.recovered(1)) {
      assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), 2, LENGTH));
    }
  }

  /** Each of them within the time of one access, both together not. */
  @Test
  void aWriteThatFailsSlowlyAndIsCutBackSlowlyLosesNobodyWhatIsThere() {
    Extent before = store.write(1, 1, 2, LENGTH);
    List<String> told = new ArrayList<>();
    List<Boolean> readable = new ArrayList<>();
    store.store().onHealthChange(() -> readable.add(store.store().health().readable()));
    submit(1, 2, told);
    store.disk().faults().duringNextWrite(() -> world.advance(TimeUnit.SECONDS.toNanos(20)));
    store
        .disk()
        .faults()
        .duringNextTruncate(
            () -> {
              world.advance(TimeUnit.SECONDS.toNanos(20));
              told.add("20 s more");
            });
    store.disk().faults().failWrites(1);
    store.queue().runWrites();

    assertThat(told).as("the blocks need not wait").containsExactly("2 DISK_FAILED", "20 s more");
    assertThat(readable).as("fenced by the write that failed").containsExactly(true);
    assertThat(store.read(before)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    assertThat(store.store().activity().io().underWay()).isZero();
    probe(2);
    assertThat(healthy()).isTrue();
    assertThat(store.write(1, 3, 2, LENGTH).segment()).isEqualTo(before.segment());
  }

  @Test
  void aCutThatDoesNotReturnFencesTheDiskAsAnyAccess() {
    store.write(1, 1, 2, LENGTH);
    List<String> told = new ArrayList<>();
    submit(1, 2, told);
    store
        .disk()
        .faults()
        .duringNextTruncate(
            () -> {
              world.advance(TimeUnit.SECONDS.toNanos(31));
              told.add("31 s");
            });
    store.disk().faults().failWrites(1);
    store.queue().runWrites();

    assertThat(told).containsExactly("2 DISK_FAILED", "31 s");
    assertThat(store.store().health().readable()).isFalse();
  }

  @Test
  void aWriteThatReturnsTooLateAndCannotBeCutBackIsNotFoundAgainWhileTheServerLives() {
    Extent before = store.write(1, 1, 2, LENGTH);
    List<String> told = new ArrayList<>();
    submit(1, 2, told);
    store.disk().faults().duringNextWrite(() -> world.advance(TimeUnit.SECONDS.toNanos(31)));
    store.disk().faults().failTruncates(1);
    store.queue().runWrites();

    assertThat(told).containsExactly("2 DISK_FAILED");
    assertThat(store.catalog().units()).isEqualTo(1);
    probe(5);
    // Nothing is written behind it.
    assertThat(store.write(1, 3, 2, LENGTH).segment()).isNotEqualTo(before.segment());
  }

  @Test
  void aQuestionForItsRoomThatDoesNotReturnHoldsUpNobodyElse() {
    world.advance(TimeUnit.SECONDS.toNanos(2));
    int asked = store.disk().asked();
    long free = store.store().usage().free();

    for (int i = 0; i < 100; i++) {
      assertThat(store.store().usage().free()).isEqualTo(free);
    }

    // Who asks is not the one who goes to the disk, and of all who ask one has it asked.
    assertThat(store.disk().asked()).isEqualTo(asked);
    store.disk().grow(1 << 29);
    store.queue().runChores();
    assertThat(store.disk().asked()).isEqualTo(asked + 1);
    assertThat(store.store().usage().free()).isEqualTo(1 << 29);
    assertThat(store.store().usage().capacity()).isEqualTo(1 << 29);
  }

  @Test
  void roomIsKnownAnewAfterEachUnit() {
    long free = store.store().usage().free();

    Extent extent = store.write(1, 1, 2, LENGTH);

    assertThat(store.store().usage().free())
        .isEqualTo(free - store.disk().length(store.file(extent, 1)));
  }

  @Test
  void aDiskThatDoesNotTellItsRoomIsFencedUntilItDoes() {
    world.advance(TimeUnit.SECONDS.toNanos(2));
    store.disk().faults().failAsking(1);
    store.store().usage();
    assertThat(healthy()).isTrue();
    store.queue().runChores();

    assertThat(healthy()).isFalse();
    assertThat(store.store().usage().healthy()).isFalse();
    assertThat(store.store().health().problem()).contains("cannot be asked for its room");
    probe(2);
    assertThat(healthy()).isTrue();
    assertThat(store.store().usage().healthy()).isTrue();
    assertThat(store.store().usage().capacity()).isEqualTo(1 << 30);
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
