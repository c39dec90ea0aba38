package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Removal hides first and unlinks after the last read. */
class SegmentLeaseTest {
  private static final int LENGTH = 3000;

  private final SimulatedStore store = new SimulatedStore();

  @Test
  void aReadUnderWayKeepsARemovedSegment() {
    Extent extent = store.write(1, 1, 2, LENGTH);
    CompletableFuture<ByteBuffer> underWay = store.driver().startRead(extent, 0, extent.length());

    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();

    assertThat(store.disk().files()).containsExactly(store.file(extent, 1));
    assertThatThrownBy(() -> store.read(extent))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.UNKNOWN_SHUFFLE));
    assertThat(StoreDriver.await(underWay)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    store.queue().runChores();
    assertThat(store.disk().files()).isEmpty();
    assertThat(store.catalog().units()).isZero();
    assertThat(store.disk().openFiles()).isZero();
  }

  @Test
  void aWriteUnderWayWhenItsShuffleIsRemovedLeavesNothing() {
    store.write(1, 1, 2, LENGTH);
    UnitBuilder unit = store.driver().stage(TestBlocks.shuffle(1));
    TestBlocks.stage(unit, 2, 2, LENGTH);
    CompletableFuture<List<Extent>> written = store.driver().startWrite(unit);

    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runWrites();
    store.queue().runChores();

    assertThatThrownBy(() -> StoreDriver.await(written))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.UNKNOWN_SHUFFLE));
    assertThat(store.disk().files()).isEmpty();
    assertThat(store.catalog().units()).isZero();
  }

  @Test
  void removingTwiceOrWhatNeverWasIsHarmless() {
    store.write(1, 1, 2, LENGTH);

    store.store().remove(TestBlocks.shuffle(1));
    store.store().remove(TestBlocks.shuffle(1));
    store.store().remove(TestBlocks.shuffle(5));
    store.queue().runChores();

    assertThat(store.disk().files()).isEmpty();
    assertThat(store.store().usage().segments()).isZero();
  }

  @Test
  void unlinkingGoesOnAfterABugAndMakesUpForIt() {
    store.write(1, 1, 2, LENGTH);
    store.write(2, 1, 2, LENGTH);
    store.catalog().breakRemovals(1);

    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();
    assertThat(store.store().activity().unlinking()).isEqualTo(1);
    store.store().remove(TestBlocks.shuffle(2));
    store.queue().runChores();

    assertThat(store.disk().files()).isEmpty();
  }

  @Test
  void closeUnlinksWhatTheLastReadsHeld() {
    List<CompletableFuture<ByteBuffer>> reads = new ArrayList<>();
    for (int shuffle = 0; shuffle < 100; shuffle++) {
      reads.add(store.driver().startRead(store.write(shuffle, 1, 1, 100), 0, 10));
    }
    for (int shuffle = 0; shuffle < 100; shuffle++) {
      store.store().remove(TestBlocks.shuffle(shuffle));
    }
    assertThat(store.disk().files()).hasSize(100);

    store.store().close();

    assertThat(reads).hasSize(100).allMatch(CompletableFuture::isDone);
    assertThat(store.disk().files()).isEmpty();
    assertThat(store.catalog().units()).isZero();
  }

  @Test
  void openFilesStayBoundedOverManyShuffles() {
    DiskOptions options = SimulatedStore.OPTIONS.withMaxOpenFiles(8);
    SimulatedStore many =
        new SimulatedStore(new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), options);
    List<Extent> extents = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      for (int shuffle = 0; shuffle < 300; shuffle++) {
        extents.add(many.write(shuffle, round, 1, 100));
      }
    }
    for (Extent extent : extents) {
      assertThat(many.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), 1, 100));
    }

    // One more while a new segment is created.
    assertThat(many.disk().openFilesMax()).isBetween(4, options.maxOpenFiles() + 1);
    assertThat(many.store().usage().openFiles()).isLessThanOrEqualTo(options.maxOpenFiles());
    many.store().close();
    assertThat(many.disk().openFiles()).isZero();
  }

  @Test
  void tooManyWaitingReadsAreRefusedAndLeaseNothing() {
    DiskOptions options = new DiskOptions(64 << 10, 2, 1 << 20, 1, 3, 8, 1 << 20, 0);
    SimulatedStore narrow =
        new SimulatedStore(new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), options);
    Extent extent = narrow.write(1, 1, 1, LENGTH);
    List<CompletableFuture<ByteBuffer>> reads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      reads.add(narrow.driver().startRead(extent, 0, 10));
    }

    assertThatThrownBy(() -> StoreDriver.await(reads.get(3)))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.TOO_MANY_STREAMS));
    narrow.queue().runReads();
    assertThat(reads.subList(0, 3)).noneMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(reads.subList(0, 3)).allMatch(CompletableFuture::isDone);
    narrow.store().remove(TestBlocks.shuffle(1));
    narrow.queue().runChores();
    assertThat(narrow.disk().files()).isEmpty();
  }
}
