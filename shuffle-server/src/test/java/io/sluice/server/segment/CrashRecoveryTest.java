package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.SimulatedDisk;
import io.sluice.server.disk.StepQueue;
import io.sluice.server.partition.Shuffle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a store finds after its process died at the worst moments. */
class CrashRecoveryTest {
  private static final DiskOptions SMALL =
      new DiskOptions(64 << 10, 1, 1 << 20, 1, 64, 8, 1 << 20, 0);

  private static final int LENGTH = 3000;

  private final SimulatedStore before =
      new SimulatedStore(new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SMALL);

  /** Checks that all bytes of these extents can still be read. */
  private static void assertReadable(SimulatedStore store, List<Extent> extents, int maps) {
    for (Extent extent : extents) {
      assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), maps, LENGTH));
    }
  }

  @Test
  void aUnitTornAtAnyByteIsCutAndTheOnesBeforeItStay() {
    Extent first = before.write(1, 1, 1, LENGTH);
    Extent second = before.write(1, 2, 1, LENGTH);
    String file = before.file(first, 1);
    int completeEnd = before.disk().length(file);
    SimulatedCatalog catalog = before.catalog().copy();
    before.write(1, 3, 1, LENGTH);
    int fullEnd = before.disk().length(file);

    for (int end = completeEnd; end < fullEnd; end++) {
      SimulatedDisk disk = before.disk().copy();
      disk.cut(file, end);

      SegmentRecovery.Recovered after = recover(disk, catalog.copy());

      assertThat(after.extents().get(TestBlocks.shuffle(1)))
          .as("cut at %s", end)
          .extracting(Extent::offset)
          .containsExactly(first.offset(), second.offset());
      assertThat(disk.length(file)).isEqualTo(completeEnd);
      assertThat(after.report().cutBytes()).isEqualTo(end - completeEnd);
      if (end % 1024 == 0) {
        SimulatedStore store = new SimulatedStore(disk, catalog.copy(), SMALL);
        assertReadable(store, store.recovered(1), 1);
      }
    }
    SegmentRecovery.Recovered whole = recover(before.disk().copy(), catalog);
    assertThat(whole.report().replayedUnits()).isEqualTo(1);
    assertThat(whole.report().units()).isEqualTo(3);
  }

  private record Owner(SegmentFiles files) implements SegmentSweeper.Owner {
    @Override
    public void forget(long segment) {
      files.forget(segment);
    }

    @Override
    public void catalogFailed(SluiceException failure) {}

    @Override
    public void swept() {}
  }

  /** Recovery alone: thousands of whole stores would take long. */
  private static SegmentRecovery.Recovered recover(SimulatedDisk disk, SimulatedCatalog catalog) {
    SegmentSweeper sweeper =
        new SegmentSweeper(
            disk, catalog, new StepQueue(), null, new Owner(new SegmentFiles(disk, SMALL)));
    SegmentTable table = new SegmentTable(SMALL.segmentSize(), sweeper, new SplittableRandom(1));
    return new SegmentRecovery(disk, catalog, table, false).run();
  }

  @Test
  void aUnitThatReachedTheDiskButNotTheCatalogIsFound() {
    before.write(1, 1, 1, LENGTH);
    before.write(1, 2, 1, LENGTH);
    before.catalog().loseLast();

    before.crash();

    assertThat(before.recovered(1)).extracting(Extent::partition).containsExactly(1, 2);
    assertThat(before.store().recovery().replayedUnits()).isEqualTo(1);
    assertThat(before.catalog().units()).isEqualTo(2);
    assertReadable(before, before.recovered(1), 1);
    before.crash();
    assertThat(before.store().recovery().replayedUnits()).isZero();
  }

  @Test
  void aUnitOfWhichOnlySomePagesReachedTheDiskIsCut() {
    int pages = 1 + 3;
    for (int survivors = 0; survivors < (1 << pages) - 1; survivors++) {
      SimulatedStore store =
          new SimulatedStore(new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SMALL);
      Extent complete = store.write(1, 1, 4, LENGTH);
      int surviving = survivors;
      store.disk().faults().dieInNextWrite(page -> (surviving & (1 << page)) != 0);
      CompletableFuture<List<Extent>> torn =
          store.startWrite(1, unit -> TestBlocks.stage(unit, 2, 4, LENGTH));
      assertThat(torn).isCompletedExceptionally();

      store.crash();

      assertThat(store.recovered(1))
          .as("surviving pages %s", Integer.toBinaryString(survivors))
          .usingRecursiveComparison()
          .isEqualTo(List.of(complete));
      assertReadable(store, store.recovered(1), 4);
    }
  }

  @Test
  void aLostCatalogIsRebuiltFromUnitHeaders() {
    List<Extent> written = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      written.add(before.write(1, i, 9, LENGTH));
    }
    Extent other = before.write(2, 0, 9, LENGTH);
    before.store().close();
    before.catalog().lose();

    before.crash();

    assertThat(before.recovered(1)).usingRecursiveComparison().isEqualTo(written);
    assertThat(before.recovered(2)).usingRecursiveComparison().isEqualTo(List.of(other));
    assertReadable(before, before.recovered(1), 9);
    assertThat(before.catalog().units()).isEqualTo(41);
  }

  @Test
  void aDamagedHeaderCostsItsUnitOnlyWhenTheCatalogIsRebuilt() {
    Extent first = before.write(1, 1, 1, LENGTH);
    Extent second = before.write(1, 2, 1, LENGTH);
    Extent third = before.write(1, 3, 1, LENGTH);
    before.disk().flip(before.file(first, 1), (int) second.offset() - 4096 + 30, 0x10);
    before.catalog().lose();

    before.crash();

    assertThat(before.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(first, third));
  }

  @Test
  void unitsWhoseBytesAreMissingAreDropped() {
    Extent first = before.write(1, 1, 1, LENGTH);
    Extent second = before.write(1, 2, 1, LENGTH);
    Extent gone = before.write(2, 1, 1, LENGTH);
    before.disk().cut(before.file(second, 1), (int) second.offset() + 10);
    before.disk().cut(before.file(gone, 2), 0);

    before.crash();

    assertThat(before.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(first));
    assertThat(before.recovered(2)).isEmpty();
    assertThat(before.store().recovery().lostUnits()).isEqualTo(2);
    assertThat(before.catalog().units()).isEqualTo(1);
  }

  @Test
  void aRemovalCutShortIsFinishedAndNothingComesBack() {
    before.write(1, 1, 1, LENGTH);
    Extent kept = before.write(2, 1, 1, LENGTH);
    before.catalog().failEndRemovals(1);
    before.disk().faults().failDeletes(1);
    before.store().remove(TestBlocks.shuffle(1));
    before.queue().runChores();
    assertThat(before.disk().files()).hasSize(2);

    before.crash();

    assertThat(before.disk().files()).containsExactly(before.file(kept, 2));
    assertThat(before.recovered(1)).isEmpty();
    assertThat(before.recovered(2)).hasSize(1);
    assertThat(before.store().recovery().unlinkedSegments()).isEqualTo(1);
  }

  @Test
  void filesOfOthersAreReportedAndLeftAlone() throws Exception {
    before.write(1, 1, 1, LENGTH);
    before.disk().create("segments/notes.txt").close();
    before.disk().create("segments/0000000000000001-x-1-0.seg").close();

    before.crash();

    assertThat(before.store().recovery().unknownFiles())
        .containsExactlyInAnyOrder("notes.txt", "0000000000000001-x-1-0.seg");
    assertThat(before.disk().files()).contains("segments/notes.txt");
  }

  /** What somebody makes who knows a segment's number, with an application that sorts earlier. */
  private String forge(long number, int shuffle, int length) throws IOException {
    String file =
        new SegmentFileName(number, new ShuffleKey(ApplicationId.of(0, 0), shuffle, 0)).path();
    try (DiskFile forged = before.disk().create(file)) {
      if (length > 0) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(length + Disk.ALIGNMENT);
        forged.write(bytes.alignedSlice(Disk.ALIGNMENT).limit(length), 0);
      }
    }
    return file;
  }

  @Test
  void aFileThatMayNotBeOpenedIsLeftAloneAndItsNumberNotGiven() throws IOException {
    Extent extent = before.write(1, 1, 1, LENGTH);
    long next = extent.segment() + 1;
    List<String> forged = List.of(forge(next, 1, 8192), forge(next + 1, 1, 0));
    forged.forEach(before.disk().faults()::deny);

    before.crash();

    assertThat(before.store().recovery().unknownFiles())
        .map(file -> SegmentFileName.FOLDER + "/" + file)
        .containsExactlyInAnyOrderElementsOf(forged);
    assertThat(before.disk().files()).containsAll(forged);
    assertReadable(before, List.of(extent), 1);
    assertThat(before.write(2, 1, 1, LENGTH).segment()).isEqualTo(next + 2);
  }

  @Test
  void anotherFileWithTheNumberOfASegmentDoesNotHideIt() throws IOException {
    Extent extent = before.write(1, 1, 1, LENGTH);
    String forged = forge(extent.segment(), 1, 8192);
    assertThat(before.disk().files().get(0)).as("found first").isEqualTo(forged);

    before.crash();

    assertThat(before.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(extent));
    assertThat(before.store().recovery().unknownFiles())
        .map(file -> SegmentFileName.FOLDER + "/" + file)
        .containsExactly(forged);
    assertReadable(before, List.of(extent), 1);
  }

  @Test
  void withoutACatalogTheFileWithUnitsOfItsNumberIsTheSegment() throws IOException {
    Extent extent = before.write(1, 1, 1, LENGTH);
    String forged = forge(extent.segment(), 1, 8192);
    String denied = forge(extent.segment(), 2, 8192);
    before.disk().faults().deny(denied);
    before.catalog().lose();

    before.crash();

    assertThat(before.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(extent));
    assertThat(before.disk().files()).contains(denied).doesNotContain(forged);
    assertThat(before.store().recovery().unlinkedSegments()).isEqualTo(1);
    assertReadable(before, List.of(extent), 1);
  }

  /** Its number may be another's by now, of a life that did not know this catalog. */
  @Test
  void aRemovalIsFinishedForItsShuffleAndNoOther() throws IOException {
    Extent removed = before.write(1, 1, 1, LENGTH);
    before.disk().faults().failDeletes(1);
    before.store().remove(TestBlocks.shuffle(1));
    before.queue().runChores();
    plant(removed.segment(), 5, 3);
    forge(removed.segment(), 1, 8192);
    assertThat(before.disk().files()).hasSize(3);

    before.crash();

    assertThat(before.recovered(1)).isEmpty();
    assertThat(before.recovered(5)).extracting(Extent::partition).containsExactly(3);
    assertReadable(before, before.recovered(5), 1);
    assertThat(before.disk().files()).containsExactly(before.file(before.recovered(5).get(0), 5));
    assertThat(before.store().lostUnits()).isZero();
    before.crash();
    assertThat(before.recovered(5)).hasSize(1);
  }

  @Test
  void aRemovalThatWasHardlyNotedIsFinished() {
    Extent removed = before.write(1, 1, 1, LENGTH);
    before.write(1, 2, 1, LENGTH);
    Extent kept = before.write(2, 1, 1, LENGTH);
    before.catalog().noteRemoval(new Removal(removed.segment(), TestBlocks.shuffle(1)));

    before.crash();

    assertThat(before.recovered(1)).isEmpty();
    assertThat(before.recovered(2)).hasSize(1);
    assertThat(before.disk().files()).containsExactly(before.file(kept, 2));
    assertThat(before.catalog().units()).isEqualTo(1);
    assertThat(before.store().lostUnits()).isZero();
  }

  @Test
  void aRemovalThatSaysNoShuffleIsOfWhateverHasItsNumber() {
    Extent removed = before.write(1, 1, 1, LENGTH);
    before.catalog().noteRemoval(new Removal(removed.segment(), null));

    before.crash();

    assertThat(before.recovered(1)).isEmpty();
    assertThat(before.disk().files()).isEmpty();
    assertThat(before.catalog().units()).isZero();
  }

  /** A file of 8 KiB must not cost a server the directory of two billion partitions. */
  @Test
  void aUnitOfAPartitionThatCannotBeIsNone() throws IOException {
    Extent extent = before.write(1, 1, 1, LENGTH);
    long next = extent.segment() + 1;
    plant(next, 5, Shuffle.MAX_PARTITIONS - 1);
    plant(next + 1, 6, Shuffle.MAX_PARTITIONS);
    plant(next + 2, 7, Integer.MAX_VALUE - 1);

    before.crash();

    assertThat(before.recovered(5))
        .extracting(Extent::partition)
        .containsExactly(Shuffle.MAX_PARTITIONS - 1);
    assertThat(before.recovered(6)).isEmpty();
    assertThat(before.recovered(7)).isEmpty();
    assertReadable(before, List.of(extent), 1);
  }

  /** What somebody makes who knows the format: one whole unit of one extent. */
  private void plant(long number, int shuffle, int partition) throws IOException {
    ShuffleKey key = TestBlocks.shuffle(shuffle);
    try (DiskFile file = before.disk().create(new SegmentFileName(number, key).path())) {
      file.write(OldUnit.of(key, number, partition, 1, LENGTH), 0);
    }
  }

  @Test
  void aSegmentWhoseTailMayNotBeLookedAtKeepsTheUnitsThatAreKnown() {
    Extent first = before.write(1, 1, 1, LENGTH);
    before.write(1, 2, 1, LENGTH);
    before.catalog().loseLast();
    String file = before.file(first, 1);
    int length = before.disk().length(file);
    before.disk().faults().deny(file);

    before.crash();

    assertThat(before.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(first));
    assertThat(before.disk().length(file)).isEqualTo(length);
  }

  @Test
  void numbersOfSegmentsAreNotReusedWhileAnythingRefersToThem() {
    Extent removed = before.write(1, 1, 1, LENGTH);
    before.disk().faults().failDeletes(1);
    before.store().remove(TestBlocks.shuffle(1));
    before.queue().runChores();

    before.crash();

    assertThat(before.write(2, 1, 1, LENGTH).segment()).isGreaterThan(removed.segment());
  }

  @Test
  void aFileThatIsNotOursUsesUpNoNumbers() throws IOException {
    for (long number : new long[] {1, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
      before.disk().faults().deny(forge(number, 9, 8192));
    }
    before.crash();
    List<Extent> extents = new ArrayList<>();
    for (int shuffle = 1; shuffle <= 4; shuffle++) {
      extents.add(before.write(shuffle, 1, 1, LENGTH));
    }
    before.crash();

    assertThat(extents).extracting(Extent::segment).containsExactly(0L, 2L, 3L, 4L);
    for (int shuffle = 1; shuffle <= 4; shuffle++) {
      assertThat(before.recovered(shuffle)).hasSize(1);
    }
  }

  /** One unit of his own is all that somebody needs who can make files, and may be read. */
  @Test
  void aSegmentWithTheHighestNumberUsesUpNone() throws IOException {
    before.write(1, 1, 1, LENGTH);
    plant(Long.MAX_VALUE - 2, 8, 3);
    plant(Long.MAX_VALUE, 9, 3);
    before.crash();
    assertThat(before.recovered(8)).hasSize(1);
    assertThat(before.recovered(9)).hasSize(1);

    Extent extent = before.write(2, 1, 1, LENGTH);
    Extent next = before.write(3, 1, 1, LENGTH);

    assertThat(next.segment()).isNotEqualTo(extent.segment());
    assertReadable(before, List.of(extent, next), 1);
    before.crash();
    for (int shuffle : new int[] {1, 2, 3, 8, 9}) {
      assertThat(before.recovered(shuffle)).as("shuffle %s", shuffle).hasSize(1);
      assertReadable(before, before.recovered(shuffle), 1);
    }
  }

  @Test
  void afterPowerLossDamageIsVisibleToReaders() {
    for (int seed = 0; seed < 200; seed++) {
      SimulatedStore store =
          new SimulatedStore(new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SMALL);
      List<Extent> written = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        written.add(store.write(1, i, 4, LENGTH));
      }
      store.queue().die();
      store.catalog().lose();
      store.disk().losePower(new SplittableRandom(seed));

      store.crash();

      for (Extent extent : store.recovered(1)) {
        Extent original = written.get(extent.partition());
        assertThat(extent).usingRecursiveComparison().isEqualTo(original);
        ByteBuffer bytes = store.read(extent);
        ByteBuffer expected = TestBlocks.extent(extent.partition(), 4, LENGTH);
        assertThat(bytes.equals(expected) || !allBlocksIntact(bytes)).isTrue();
      }
    }
  }

  @Test
  void whatWasSyncedSurvivesPowerLoss() {
    for (int seed = 0; seed < 50; seed++) {
      SimulatedStore store =
          new SimulatedStore(new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SMALL);
      List<Extent> written = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        written.add(store.write(1 + i % 2, i, 4, LENGTH));
      }
      CompletableFuture<Void> synced = store.store().sync();
      store.queue().runChores();
      StoreDriver.await(synced);
      store.queue().die();
      store.disk().losePower(new SplittableRandom(seed));

      store.crash();

      assertThat(store.store().lostUnits()).isZero();
      for (Extent extent : written) {
        assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), 4, LENGTH));
      }
    }
  }

  /** As a reader checks: stops at the first block that is not what it says. */
  private static boolean allBlocksIntact(ByteBuffer bytes) {
    Crc32c crc = new Crc32c();
    int next = 0;
    while (next < bytes.limit()) {
      try {
        BlockHeader.validate(bytes, next, bytes.limit() - next - BlockHeader.LENGTH);
      } catch (SluiceException e) {
        return false;
      }
      if (!BlockHeader.crcMatches(bytes, next, crc)) {
        return false;
      }
      next += BlockHeader.LENGTH + BlockHeader.storedLength(bytes, next);
    }
    return true;
  }

  @Test
  void aCatalogThatContradictsTheFilesStopsTheStart() {
    Extent extent = before.write(1, 1, 1, LENGTH);
    before.catalog().put(extent.segment(), 1 << 13, ByteBuffer.allocate(100));

    assertThatThrownBy(before::crash)
        .isInstanceOf(SluiceException.class)
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.CORRUPT_CATALOG))
        .hasMessageContaining("sim");
  }
}
