package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A disk of several files, one of which it does not give: what a start makes of the others. */
class BadFileRecoveryTest {
  private static final DiskOptions SMALL =
      new DiskOptions(64 << 10, 1, 1 << 20, 1, 64, 8, 1 << 20, 0);
  private static final int LENGTH = 3000;

  private final SimulatedStore store =
      new SimulatedStore(new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SMALL);

  private void assertReadable(int shuffle, List<Extent> extents) {
    assertThat(store.recovered(shuffle)).usingRecursiveComparison().isEqualTo(extents);
    for (Extent extent : extents) {
      assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), 1, LENGTH));
    }
  }

  private static void assertNamed(List<String> files, String file) {
    assertThat(files).map(name -> SegmentFileName.FOLDER + "/" + name).containsExactly(file);
  }

  /** Pages that each claim to be a unit, more of them than a scan has patience for. */
  private void addClaims(DiskFile file, long from) throws IOException {
    int length = UnitHeader.HEADER_MAX + 16 * Disk.ALIGNMENT;
    ByteBuffer claims =
        ByteBuffer.allocateDirect(length + Disk.ALIGNMENT)
            .alignedSlice(Disk.ALIGNMENT)
            .limit(length);
    for (int at = 0; at < length; at += Disk.ALIGNMENT) {
      claims.put(at, ClaimedUnitsTest.CLAIM);
    }
    try (file) {
      file.write(claims, from);
    }
  }

  @Test
  void aFileThatClaimsTooMuchIsLeftAloneAndNamed() throws IOException {
    Extent good = store.write(1, 1, 1, LENGTH);
    long number = good.segment() + 1;
    String file = new SegmentFileName(number, TestBlocks.shuffle(2)).path();
    addClaims(store.disk().create(file), 0);
    int length = store.disk().length(file);

    store.crash();

    assertReadable(1, List.of(good));
    assertThat(store.recovered(2)).isEmpty();
    assertThat(store.disk().length(file)).isEqualTo(length);
    assertNamed(store.store().recovery().unknownFiles(), file);
    assertThat(store.store().recovery().unlinkedSegments()).isZero();
    assertThat(store.store().lostUnits()).as("units of others").isZero();
    assertThat(store.write(3, 1, 1, LENGTH).segment()).isNotEqualTo(number);
  }

  @Test
  void aTailThatClaimsTooMuchStaysAndIsNamed() throws IOException {
    Extent good = store.write(1, 1, 1, LENGTH);
    String file = store.file(good, 1);
    int end = store.disk().length(file);
    addClaims(store.disk().openForWrite(file), end);
    int length = store.disk().length(file);
    assertThat(length).isGreaterThan(end);

    store.crash();

    assertReadable(1, List.of(good));
    assertThat(store.disk().length(file)).isEqualTo(length);
    assertNamed(store.store().recovery().keptTails(), file);
    assertThat(store.store().recovery().cutBytes()).isZero();
    assertThat(store.store().lostUnits()).isZero();
  }

  @Test
  void aTailThatCannotBeReadStaysAndCostsNoUnitThatIsKnown() {
    Extent first = store.write(1, 1, 1, LENGTH);
    Extent other = store.write(2, 1, 1, LENGTH);
    store.write(3, 1, 1, LENGTH);
    Extent last = store.write(3, 2, 1, LENGTH);
    store.catalog().loseLast();
    String bad = store.file(last, 3);
    int length = store.disk().length(bad);
    store.disk().faults().unreadable(bad, 0);

    store.crash();

    assertReadable(1, List.of(first));
    assertReadable(2, List.of(other));
    assertThat(store.recovered(3)).extracting(Extent::partition).containsExactly(1);
    assertThat(store.disk().length(bad)).isEqualTo(length);
    assertNamed(store.store().recovery().keptTails(), bad);
    // There was something behind it: nobody may say that nothing is lost.
    assertThat(store.store().lostUnits()).isEqualTo(1);

    store.disk().faults().unreadable(bad, Long.MAX_VALUE);
    store.crash();

    assertThat(store.recovered(3)).extracting(Extent::partition).containsExactly(1, 2);
    assertThat(store.store().lostUnits()).isZero();
  }

  @Test
  void aFileOfWhichNothingIsKnownIsLeftAloneUntilItCanBeRead() {
    Extent bad = store.write(1, 1, 1, LENGTH);
    Extent good = store.write(2, 1, 1, LENGTH);
    store.catalog().lose();
    String file = store.file(bad, 1);
    store.disk().faults().unreadable(file, 0);

    store.crash();

    assertThat(store.recovered(1)).isEmpty();
    assertReadable(2, List.of(good));
    assertThat(store.disk().files()).contains(file);
    assertNamed(store.store().recovery().unknownFiles(), file);
    assertThat(store.store().lostUnits()).isEqualTo(1);
    assertThat(store.write(3, 1, 1, LENGTH).segment()).isNotEqualTo(bad.segment());

    store.disk().faults().unreadable(file, Long.MAX_VALUE);
    store.crash();

    assertReadable(1, List.of(bad));
    assertReadable(2, List.of(good));
  }

  @Test
  void whatWasFoundBeforeTheBadPlaceIsServed() {
    Extent first = store.write(1, 1, 1, LENGTH);
    store.write(1, 2, 1, LENGTH);
    Extent third = store.write(1, 3, 1, LENGTH);
    store.catalog().lose();
    // The header can be read, its blocks cannot.
    store.disk().faults().unreadable(store.file(first, 1), third.offset());

    store.crash();

    assertThat(store.recovered(1)).extracting(Extent::partition).containsExactly(1, 2);
    assertThat(store.store().lostUnits()).isEqualTo(1);
    store.disk().faults().unreadable(store.file(first, 1), Long.MAX_VALUE);
    store.crash();
    assertThat(store.recovered(1)).extracting(Extent::partition).containsExactly(1, 2, 3);
  }

  @Test
  void aTailThatCannotBeCutStays() {
    Extent other = store.write(2, 1, 1, LENGTH);
    Extent first = store.write(1, 1, 1, LENGTH);
    Extent second = store.write(1, 2, 1, LENGTH);
    store.catalog().loseLast();
    String file = store.file(first, 1);
    store.disk().cut(file, (int) second.offset() + 10);
    store.disk().faults().failTruncates(1);

    store.crash();

    assertReadable(1, List.of(first));
    assertReadable(2, List.of(other));
    assertThat(store.disk().length(file)).isEqualTo((int) second.offset() + 10);
    assertNamed(store.store().recovery().keptTails(), file);
    assertThat(store.store().lostUnits()).isZero();
  }

  @Test
  void aRemovedFileThatCannotBeDeletedIsDeletedByTheNextStart() {
    store.write(1, 1, 1, LENGTH);
    store.write(2, 1, 1, LENGTH);
    Extent kept = store.write(3, 1, 1, LENGTH);
    store.disk().faults().failDeletes(2);
    store.store().remove(TestBlocks.shuffle(1));
    store.store().remove(TestBlocks.shuffle(2));
    store.queue().runChores();
    assertThat(store.disk().files()).hasSize(3);
    store.disk().faults().failDeletes(1);

    store.crash();

    assertThat(store.disk().files()).hasSize(2);
    assertThat(store.recovered(1)).isEmpty();
    assertThat(store.recovered(2)).isEmpty();
    assertReadable(3, List.of(kept));
    assertThat(store.store().lostUnits()).isZero();

    store.crash();

    assertThat(store.disk().files()).containsExactly(store.file(kept, 3));
    assertReadable(3, List.of(kept));
  }

  @Test
  void aFileWithoutAUnitThatCannotBeDeletedIsLeftAlone() {
    Extent torn = store.write(1, 1, 1, LENGTH);
    Extent kept = store.write(2, 1, 1, LENGTH);
    String file = store.file(torn, 1);
    store.disk().cut(file, 5000);
    store.disk().faults().failDeletes(1);

    store.crash();

    assertReadable(2, List.of(kept));
    assertThat(store.disk().files()).contains(file);
    assertThat(store.store().recovery().unlinkedSegments()).isZero();
    store.crash();
    assertThat(store.disk().files()).doesNotContain(file);
  }

  @Test
  void aFolderThatCannotBeListedLeavesTheDiskToTheNextTry() {
    Extent extent = store.write(1, 1, 1, LENGTH);
    store.disk().faults().failLists(1);

    assertThatThrownBy(store::crash)
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));

    assertThat(store.disk().isClosed()).isTrue();
    store.crash();
    assertReadable(1, List.of(extent));
    assertThat(store.store().lostUnits()).isZero();
  }

  /** What is locked by nobody who will ever unlock it is lost until the process ends. */
  @Test
  void aStartThatMeetsABugLeavesTheDiskToTheNextTry() {
    Extent extent = store.write(1, 1, 1, LENGTH);
    store.disk().faults().breakLists(1);

    assertThatThrownBy(store::crash).isInstanceOf(IllegalStateException.class);

    assertThat(store.disk().isClosed()).isTrue();
    store.crash();
    assertReadable(1, List.of(extent));
  }

  @Test
  void aFileOfWhichTheDiskGivesOnlyTheNameKeepsItsUnits() {
    Extent hidden = store.write(1, 1, 1, LENGTH);
    Extent other = store.write(2, 1, 1, LENGTH);
    String file = store.file(hidden, 1);
    int length = store.disk().length(file);
    store.disk().faults().hide(file, true);

    store.crash();

    assertReadable(1, List.of(hidden));
    assertReadable(2, List.of(other));
    assertThat(store.disk().length(file)).isEqualTo(length);
    assertNamed(store.store().recovery().keptTails(), file);
    // Nobody has looked for units behind those.
    assertThat(store.store().lostUnits()).isEqualTo(1);

    store.disk().faults().hide(file, false);
    store.crash();

    assertReadable(1, List.of(hidden));
    assertThat(store.store().lostUnits()).isZero();
  }

  @Test
  void aFileOfWhichNothingButTheNameIsKnownIsLeftAlone() {
    Extent hidden = store.write(1, 1, 1, LENGTH);
    String file = store.file(hidden, 1);
    store.catalog().lose();
    store.disk().faults().hide(file, true);

    store.crash();

    assertThat(store.recovered(1)).isEmpty();
    assertThat(store.disk().files()).contains(file);
    assertNamed(store.store().recovery().unknownFiles(), file);
    assertThat(store.write(2, 1, 1, LENGTH).segment()).isNotEqualTo(hidden.segment());

    store.disk().faults().hide(file, false);
    store.crash();

    assertReadable(1, List.of(hidden));
  }

  @Test
  void aDirectoryThatVanishesWhileItIsOpenedLosesNoRecord() {
    Extent kept = store.write(1, 1, 1, LENGTH);
    Extent removed = store.write(2, 1, 1, LENGTH);
    store.catalog().noteRemoval(new Removal(removed.segment(), TestBlocks.shuffle(2)));
    store.disk().faults().vanish(true);

    assertThatThrownBy(store::crash)
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
    store.disk().faults().vanish(false);
    store.crash();

    assertReadable(1, List.of(kept));
    assertThat(store.store().recovery().replayedUnits()).isZero();
    assertThat(store.store().lostUnits()).isZero();
    assertThat(store.recovered(2)).as("its removal is finished").isEmpty();
    assertThat(store.disk().files()).containsExactly(store.file(kept, 1));
  }
}
