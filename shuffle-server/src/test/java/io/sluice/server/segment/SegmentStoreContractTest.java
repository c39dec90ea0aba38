package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.disk.DiskOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store keeps to, whatever disk is under it. */
public abstract class SegmentStoreContractTest {
  static final DiskOptions OPTIONS = DiskOptions.ssd().withSizes(1 << 20, 4 << 20);
  static final ShuffleKey SHUFFLE = TestBlocks.shuffle(7);

  private LocalSegmentStore store;
  private StoreDriver driver;

  /** Opens the store of the same disk again, after the former was closed. */
  protected abstract LocalSegmentStore open(DiskOptions options, long incarnation);

  /** Segment files now on the disk. */
  protected abstract List<String> segmentFiles();

  @BeforeEach
  void openStore() {
    store = open(OPTIONS, 1);
    driver = new StoreDriver(store);
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  private void reopen(long incarnation) {
    store.close();
    store = open(OPTIONS, incarnation);
    driver = new StoreDriver(store);
  }

  @Test
  void readsWhatItWrote() {
    List<Extent> extents =
        driver.write(
            SHUFFLE,
            unit -> {
              TestBlocks.stage(unit, 3, 5, 1000);
              TestBlocks.stage(unit, 9, 2, 70_001);
            });

    assertThat(extents).extracting(Extent::partition).containsExactly(3, 9);
    assertThat(extents).extracting(Extent::blocks).containsExactly(5, 2);
    assertThat(driver.read(extents.get(0))).isEqualTo(TestBlocks.extent(3, 5, 1000));
    assertThat(driver.read(extents.get(1))).isEqualTo(TestBlocks.extent(9, 2, 70_001));
  }

  @Test
  void readsAnyRangeOfAnExtent() {
    Extent extent = driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 0, 3, 10_007)).get(0);

    assertThat(driver.read(extent, 4097, 12_345))
        .isEqualTo(TestBlocks.extent(0, 3, 10_007).slice(4097, 12_345));
    // Larger than a read window's share, and neither its start nor its length aligned.
    Extent large =
        driver
            .write(
                SHUFFLE,
                unit -> {
                  TestBlocks.stage(unit, 0, 1, 77);
                  TestBlocks.stage(unit, 1, 7, 100_003);
                })
            .get(1);
    ByteBuffer content = TestBlocks.extent(1, 7, 100_003);
    for (int start : new int[] {0, 1, 39, 4095, 4096}) {
      for (int length : new int[] {1, 4096, 32_767, 32_768, 32_769, 90_000, 120_000}) {
        assertThat(driver.read(large, start, length)).isEqualTo(content.slice(start, length));
      }
    }
    assertThat(driver.read(large)).isEqualTo(content);
    assertThatThrownBy(() -> driver.read(extent, 1, extent.length()))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void whatIsLeasedStaysAsItIsThoughItsShuffleIsRemovedAndOthersAreRead() {
    List<Extent> extents = driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 3, 7, 50_003));
    LeasedRead kept = StoreDriver.await(LeasedRead.start(store, extents.get(0)));
    assertThat(kept.leases()).isPositive();
    long leased = leasedBytes();
    assertThat(leased).isPositive();

    store.remove(SHUFFLE);
    ShuffleKey next = TestBlocks.shuffle(8);
    for (int i = 0; i < 40; i++) {
      int partition = i;
      Extent other =
          driver.write(next, unit -> TestBlocks.stage(unit, partition, 9, 50_003)).get(0);
      LeasedRead read = StoreDriver.await(LeasedRead.start(store, other));
      assertThat(read.bytes()).isEqualTo(TestBlocks.extent(partition, 9, 50_003));
      read.giveBack();
    }

    assertThat(leasedBytes()).isEqualTo(leased);
    assertThat(kept.bytes()).isEqualTo(TestBlocks.extent(3, 7, 50_003));
    kept.giveBack();
    assertThat(leasedBytes()).isZero();
  }

  private long leasedBytes() {
    return store.activity().reads().now().leasedBytes();
  }

  @Test
  void createsNothingForAShuffleThatNeverFlushes() {
    driver.stage(SHUFFLE).discard();

    assertThat(segmentFiles()).isEmpty();
    assertThat(store.usage().bytesWritten()).isZero();
  }

  @Test
  void rollsSegments() {
    List<Extent> extents = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      extents.addAll(driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 1, 1 << 19)));
    }
    for (int i = 0; i < 6; i++) {
      extents.addAll(driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 1, 1_000_000)));
    }

    assertThat(segmentFiles()).hasSizeGreaterThanOrEqualTo(2);
    assertThat(store.usage().segments()).isEqualTo(segmentFiles().size());
    for (Extent extent : extents) {
      assertThat(extent.offset() + extent.length()).isLessThanOrEqualTo(OPTIONS.segmentSize());
      assertThat(driver.read(extent)).isEqualTo(TestBlocks.extent(1, 1, extent.length() - 40));
    }
  }

  @Test
  void offersAsManyStagingBuffersAsConfiguredAndTellsWhoWaits() {
    List<UnitBuilder> staged = new ArrayList<>();
    for (int i = 0; i < OPTIONS.stagingBuffers(); i++) {
      staged.add(driver.stage(SHUFFLE));
    }
    CompletableFuture<Void> available = new CompletableFuture<>();

    assertThat(store.tryStage(SHUFFLE, () -> available.complete(null))).isNull();
    assertThat(available).isNotDone();
    staged.get(0).discard();

    assertThat(available).isCompleted();
    driver.stage(SHUFFLE).discard();
    staged.subList(1, staged.size()).forEach(UnitBuilder::discard);
    assertThatThrownBy(staged.get(1)::discard).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void hidesARemovedShuffleAtOnceAndUnlinksItsFiles() {
    Extent extent = driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 1, 100)).get(0);
    Extent other =
        driver.write(TestBlocks.shuffle(8), unit -> TestBlocks.stage(unit, 1, 1, 100)).get(0);

    store.remove(SHUFFLE);

    assertThatThrownBy(() -> driver.read(extent)).satisfies(hasCode(ErrorCode.UNKNOWN_SHUFFLE));
    assertThat(driver.read(other)).isEqualTo(TestBlocks.extent(1, 1, 100));
    reopen(2);
    assertThat(segmentFiles()).hasSize(1);
    assertThat(store.recovered()).containsOnlyKeys(TestBlocks.shuffle(8));
  }

  @Test
  void refusesAUnitStagedBeforeItsShuffleWasRemoved() {
    UnitBuilder unit = driver.stage(SHUFFLE);
    TestBlocks.stage(unit, 1, 1, 100);

    store.remove(SHUFFLE);

    assertThatThrownBy(() -> StoreDriver.await(driver.startWrite(unit)))
        .satisfies(hasCode(ErrorCode.UNKNOWN_SHUFFLE));
    assertThat(store.health().healthy()).isTrue();
    assertThat(segmentFiles()).isEmpty();
  }

  @Test
  void findsEverythingAgainAfterARestart() {
    List<Extent> before = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      int partition = i;
      before.addAll(driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, partition, 4, 90_000)));
    }

    reopen(2);

    List<Extent> after = store.recovered().getOrDefault(SHUFFLE, List.of());
    assertThat(after).usingRecursiveComparison().isEqualTo(before);
    for (Extent extent : after) {
      ByteBuffer expected = TestBlocks.extent(extent.partition(), 4, 90_000);
      assertThat(driver.read(extent)).isEqualTo(expected);
    }
    assertThat(store.recovery().units()).isEqualTo(7);
    assertThat(store.recovery().replayedUnits()).isZero();
  }

  @Test
  void goesOnInANewSegmentAfterARestart() {
    Extent before = driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 1, 100)).get(0);
    reopen(2);
    Extent after = driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 2, 100)).get(0);

    assertThat(after.segment()).isGreaterThan(before.segment());
    assertThat(driver.read(before)).isEqualTo(TestBlocks.extent(1, 1, 100));
    assertThat(driver.read(after)).isEqualTo(TestBlocks.extent(1, 2, 100));
  }

  @Test
  void tellsWhichMapAttemptsItHoldsWhole() {
    driver.write(
        SHUFFLE,
        unit -> {
          // Map 1 has two attempts, map 2 lacks the end of partition 0, map 3 its beginning.
          TestBlocks.stage(
              unit,
              0,
              500,
              new TestBlocks.Of(1, 10, 0, false),
              new TestBlocks.Of(1, 10, 1, true),
              new TestBlocks.Of(1, 11, 0, true),
              new TestBlocks.Of(2, 20, 0, false),
              new TestBlocks.Of(3, 30, 1, true));
          TestBlocks.stage(unit, 4, 500, new TestBlocks.Of(3, 30, 0, true));
        });
    driver.write(
        SHUFFLE,
        unit -> {
          TestBlocks.stage(
              unit, 1, 500, new TestBlocks.Of(1, 10, 0, true), new TestBlocks.Of(7, -5, 1, true));
          // The rest of map 7, before which its end was written.
          TestBlocks.stage(unit, 2, 500, new TestBlocks.Of(7, -5, 0, true));
        });
    assertThat(driver.whole(SHUFFLE)).containsExactly("1/10:2", "1/11:1");
    driver.write(
        SHUFFLE, unit -> TestBlocks.stage(unit, 1, 500, new TestBlocks.Of(7, -5, 0, false)));
    List<String> whole = List.of("1/10:2", "1/11:1", "7/-5:2");
    assertThat(driver.whole(SHUFFLE)).isEqualTo(whole);
    assertThat(TestBlocks.whole(StoreDriver.await(driver.startTally(SHUFFLE)), 2))
        .containsExactly("7/-5:2");

    reopen(2);

    assertThat(driver.whole(SHUFFLE)).isEqualTo(whole);
    assertThat(driver.whole(TestBlocks.shuffle(8))).isEmpty();
    // A block that was sent again after a connection was lost: nobody can tell what is there.
    driver.write(
        SHUFFLE, unit -> TestBlocks.stage(unit, 0, 500, new TestBlocks.Of(1, 10, 0, false)));
    assertThat(driver.whole(SHUFFLE)).containsExactly("1/11:1", "7/-5:2");
    store.remove(SHUFFLE);
    assertThat(driver.whole(SHUFFLE)).isEmpty();
  }

  @Test
  void talliesOverSegmentsAndIncarnations() {
    int blocks = 20;
    for (int block = 0; block < blocks; block++) {
      assertThat(driver.whole(SHUFFLE)).isEmpty();
      if (block == 11) {
        reopen(2);
      }
      TestBlocks.Of next = new TestBlocks.Of(5, 77, block, block == blocks - 1);
      driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 3, 700_000, next));
    }

    assertThat(segmentFiles()).hasSizeGreaterThan(3);
    assertThat(driver.whole(SHUFFLE)).containsExactly("5/77:1");
    reopen(3);
    assertThat(driver.whole(SHUFFLE)).containsExactly("5/77:1");
    store.close();
    assertThatThrownBy(() -> driver.whole(SHUFFLE)).satisfies(hasCode(ErrorCode.SHUTTING_DOWN));
  }

  @Test
  void aHundredReadersOfOnePartitionCostAboutOneReadOfEachByte() {
    Extent extent = driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 9, 100_000)).get(0);
    ByteBuffer expected = TestBlocks.extent(1, 9, 100_000);
    int piece = 100_000;
    for (int at = 0; at < extent.length(); at += piece) {
      int length = Math.min(piece, extent.length() - at);
      List<CompletableFuture<ByteBuffer>> reads = new ArrayList<>();
      for (int reader = 0; reader < 100; reader++) {
        reads.add(driver.startRead(extent, at, length));
      }
      for (CompletableFuture<ByteBuffer> read : reads) {
        assertThat(StoreDriver.await(read)).isEqualTo(expected.slice(at, length));
      }
    }
    assertThat(store.usage().bytesRead()).isLessThan(extent.length() * 11L / 10);
    assertThat(store.activity().reads().requestedBytes()).isEqualTo(100L * extent.length());
    assertThat(store.activity().reads().now().requests()).isZero();
  }

  @Test
  void readsTheSmallExtentsOfAUnitTogether() {
    List<Extent> extents =
        driver.write(
            SHUFFLE,
            unit -> {
              for (int partition = 0; partition < 60; partition++) {
                TestBlocks.stage(unit, partition, 3, 5000);
              }
            });
    for (Extent extent : extents) {
      assertThat(driver.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), 3, 5000));
    }
    assertThat(store.activity().reads().loads()).isEqualTo(1);
    assertThat(store.activity().io().reads()).isEqualTo(1);

    store.remove(SHUFFLE);
    store.close();

    assertThat(store.activity().reads().now().cachedBytes()).isZero();
  }

  @Test
  void refusesWorkAfterClose() {
    Extent extent = driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 1, 100)).get(0);
    UnitBuilder unit = driver.stage(SHUFFLE);
    TestBlocks.stage(unit, 1, 1, 100);

    store.close();

    assertThatThrownBy(() -> driver.stage(SHUFFLE)).satisfies(hasCode(ErrorCode.SHUTTING_DOWN));
    assertThatThrownBy(() -> StoreDriver.await(driver.startWrite(unit)))
        .satisfies(hasCode(ErrorCode.SHUTTING_DOWN));
    assertThatThrownBy(() -> driver.read(extent)).satisfies(hasCode(ErrorCode.SHUTTING_DOWN));
  }

  static Consumer<Throwable> hasCode(ErrorCode code) {
    return failure ->
        assertThat(failure)
            .isInstanceOfSatisfying(
                SluiceException.class, coded -> assertThat(coded.code()).isEqualTo(code));
  }
}
