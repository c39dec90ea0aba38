package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a failing disk costs, and what it does not. */
class DiskFaultTest {
  private static final int LENGTH = 3000;

  private final SimulatedStore store = new SimulatedStore();

  private CompletableFuture<List<Extent>> startWrite(int partition) {
    return store.startWrite(1, unit -> TestBlocks.stage(unit, partition, 2, LENGTH));
  }

  private void assertFailsWith(CompletableFuture<?> future, ErrorCode code, String... naming) {
    assertThatThrownBy(() -> StoreDriver.await(future))
        .satisfies(SegmentStoreContractTest.hasCode(code))
        .satisfies(
            failure ->
                List.of(naming).forEach(name -> assertThat(failure).hasMessageContaining(name)));
  }

  @Test
  void saysOnceThatTheDiskFellIllAndOnceThatItRecovered() {
    List<Boolean> told = new ArrayList<>();
    store.store().onHealthChange(() -> told.add(store.store().health().healthy()));
    store.catalog().failPuts(2);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> store.write(1, 0, 1, 100)).isInstanceOf(SluiceException.class);
    }
    assertThat(told).containsExactly(false);
    store.write(1, 0, 1, 100);
    store.write(1, 1, 1, 100);
    assertThat(told).containsExactly(false, true);
  }

  @Test
  void aFailedWriteIsNotCataloguedAndMakesTheDiskUnhealthyUntilTheNextSuccess() {
    Extent first = store.write(1, 1, 2, LENGTH);
    store.disk().faults().failWrites(1);

    assertFailsWith(startWrite(2), ErrorCode.DISK_FAILED, "sim", store.file(first, 1), "12288");

    assertThat(store.store().health().healthy()).isFalse();
    assertThat(store.store().usage().healthy()).isFalse();
    assertThat(store.store().health().problem()).contains(store.file(first, 1));
    assertThat(store.catalog().units()).isEqualTo(1);
    assertThat(store.read(first)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    Extent third = store.write(1, 3, 2, LENGTH);
    assertThat(store.store().health().healthy()).isTrue();
    store.crash();
    assertThat(store.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(first, third));
  }

  @Test
  void aUnitThatTheCatalogDidNotTakeDoesNotComeBack() {
    Extent first = store.write(1, 1, 2, LENGTH);
    store.catalog().failPuts(1);

    assertFailsWith(startWrite(2), ErrorCode.DISK_FAILED);

    store.crash();
    assertThat(store.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(first));
  }

  @Test
  void aSegmentThatCannotBeCutBackIsWrittenNoFurther() {
    Extent first = store.write(1, 1, 2, LENGTH);
    store.disk().faults().failWrites(1);
    store.disk().faults().failTruncates(1);
    assertFailsWith(startWrite(2), ErrorCode.DISK_FAILED);

    Extent third = store.write(1, 3, 2, LENGTH);

    assertThat(third.segment()).isNotEqualTo(first.segment());
    assertThat(store.read(first)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    assertThat(store.read(third)).isEqualTo(TestBlocks.extent(3, 2, LENGTH));
  }

  private void takeName(long number, int shuffle) throws IOException {
    store.disk().create(new SegmentFileName(number, TestBlocks.shuffle(shuffle)).path()).close();
  }

  /** Where others may make files they can know the names of their own shuffles' next segments. */
  @Test
  void aNameThatSomebodyHasTakenCostsANumberAndNothingElse() throws IOException {
    Extent first = store.write(1, 1, 2, LENGTH);
    for (int i = 1; i < 50; i++) {
      takeName(first.segment() + i, 2);
    }

    Extent extent = store.write(2, 1, 2, LENGTH);

    assertThat(extent.segment()).isGreaterThan(first.segment() + 1);
    assertThat(store.store().activity().fences()).isZero();
    assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    assertThat(store.write(2, 2, 2, LENGTH).segment()).isEqualTo(extent.segment());
    store.crash();
    assertThat(store.recovered(1)).hasSize(1);
    assertThat(store.recovered(2)).hasSize(2);
    assertThat(store.write(3, 1, 2, LENGTH).segment()).isGreaterThan(extent.segment());
  }

  @Test
  void aNameThatSomebodyHasTakenStaysHisIfTheShuffleIsRemovedMeanwhile() throws IOException {
    Extent first = store.write(1, 1, 2, LENGTH);
    takeName(first.segment() + 1, 2);
    List<String> files = store.disk().files();
    UnitBuilder unit = store.driver().stage(TestBlocks.shuffle(2));
    TestBlocks.stage(unit, 1, 2, LENGTH);
    // Asked when the segment has its number, and before its file is made.
    store.disk().faults().duringNextAnswer(() -> store.store().remove(TestBlocks.shuffle(2)));

    CompletableFuture<List<Extent>> written = store.driver().startWrite(unit);
    store.queue().runWrites();
    store.queue().runChores();

    assertThatThrownBy(() -> StoreDriver.await(written))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.UNKNOWN_SHUFFLE));
    assertThat(store.disk().files()).isEqualTo(files);
    assertThat(store.store().activity().unlinking()).isZero();
  }

  @Test
  void aFirstUnitThatFailsLeavesNothingToRecover() {
    store.disk().faults().failWrites(1);
    assertFailsWith(startWrite(1), ErrorCode.DISK_FAILED);

    store.crash();

    assertThat(store.recovered(1)).isEmpty();
    assertThat(store.disk().files()).isEmpty();
  }

  @Test
  void shortWritesAreContinued() {
    store.disk().faults().limitWriteSize(4096);

    Extent extent = store.write(1, 1, 5, LENGTH);

    assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(1, 5, LENGTH));
  }

  @Test
  void aUnitThatIsCutShortSaysWhereAndLeavesNothing() {
    Extent before = store.write(1, 1, 5, LENGTH);
    String file = store.file(before, 1);
    long length = store.disk().length(file);
    store.disk().faults().limitWriteSize(4096);
    store.disk().faults().failWritesAfter(1, 1);

    assertThatThrownBy(() -> StoreDriver.await(startWrite(1)))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED))
        .hasStackTraceContaining(", after 4096 of ");

    assertThat(store.disk().length(file)).isEqualTo(length);
    assertThat(store.read(before)).isEqualTo(TestBlocks.extent(1, 5, LENGTH));
  }

  @Test
  void aFullDiskRefusesUnitsAndStillReads() {
    SimulatedStore full =
        new SimulatedStore(
            new SimulatedDisk("full", 64 << 10),
            new SimulatedCatalog(),
            new DiskOptions(64 << 10, 2, 1 << 20, 1, 64, 8, 1 << 20, 40 << 10));
    Extent first = full.write(1, 1, 2, LENGTH);

    assertFailsWith(
        full.startWrite(1, unit -> TestBlocks.stage(unit, 2, 6, LENGTH)),
        ErrorCode.NO_DISK_SPACE,
        "full");

    assertThat(full.store().health().healthy()).isFalse();
    assertThat(full.read(first)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
    assertThat(full.catalog().units()).isEqualTo(1);
    full.store().remove(TestBlocks.shuffle(1));
    full.queue().runChores();
    Extent second = full.write(2, 2, 2, LENGTH);
    assertThat(full.read(second)).isEqualTo(TestBlocks.extent(2, 2, LENGTH));
    assertThat(full.store().health().healthy()).isTrue();
  }

  @Test
  void aDiskThatFillsDuringAWriteKeepsWhatWasThere() {
    // No reserve, and smaller than the unit: the write itself runs into the end.
    SimulatedStore full =
        new SimulatedStore(
            new SimulatedDisk("full", 20 << 10),
            new SimulatedCatalog(),
            new DiskOptions(64 << 10, 2, 1 << 20, 1, 64, 8, 1 << 20, 0));
    Extent first = full.write(1, 1, 1, LENGTH);

    assertFailsWith(
        full.startWrite(1, unit -> TestBlocks.stage(unit, 2, 6, LENGTH)), ErrorCode.NO_DISK_SPACE);

    assertThat(full.read(first)).isEqualTo(TestBlocks.extent(1, 1, LENGTH));
    full.crash();
    assertThat(full.recovered(1)).hasSize(1);
  }

  @Test
  void aReadErrorNamesDiskSegmentAndOffset() {
    Extent extent = store.write(1, 1, 2, LENGTH);
    // Once for the window, once for the bytes alone.
    store.disk().faults().failReads(2);
    CompletableFuture<?> read = store.driver().startRead(extent, 100, 50);
    store.queue().runReads();

    assertFailsWith(
        read,
        ErrorCode.DISK_FAILED,
        "sim",
        store.file(extent, 1),
        String.valueOf(extent.offset() + 100));
    assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(1, 2, LENGTH));
  }

  @Test
  void aSegmentThatBecameShorterIsCorrupt() {
    Extent extent = store.write(1, 1, 2, LENGTH);
    store.disk().cut(store.file(extent, 1), (int) extent.offset() + 64);
    CompletableFuture<?> read = store.driver().startRead(extent, 0, extent.length());
    store.queue().runReads();

    assertFailsWith(read, ErrorCode.CORRUPT_UNIT, "sim", store.file(extent, 1));
  }

  @Test
  void aFlippedByteReachesTheReaderWhoseCrcCatchesIt() {
    Extent extent = store.write(1, 1, 1, LENGTH);
    store.disk().flip(store.file(extent, 1), (int) extent.offset() + 500, 0x40);

    ByteBuffer bytes = store.read(extent);

    assertThat(BlockHeader.crcMatches(bytes, 0, new Crc32c())).isFalse();
  }
}
