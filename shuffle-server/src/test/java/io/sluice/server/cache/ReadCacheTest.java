package io.sluice.server.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.ReadOptions;
import io.sluice.server.disk.StepQueue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadCacheTest {
  private static final int KIB = 1 << 10;
  private static final int UNIT = 256 * KIB;
  private static final int WINDOW = 64 * KIB;

  private final StepQueue queue = new StepQueue();
  private final FakeSource source = new FakeSource(1, 16L << 20);
  private final ReadCache cache = cache(1, 4);

  private ReadCache cache(int threads, int windows) {
    return new ReadCache(
        new ReadOptions(threads, 1000, WINDOW, 8 * KIB, windows * WINDOW), "disk", queue::read);
  }

  private FakeReader read(long position, int length) {
    long unit = position / UNIT * UNIT;
    return FakeReader.read(cache, source, position, length, unit, unit + UNIT);
  }

  private FakeReader readNow(long position, int length) {
    FakeReader reader = read(position, length);
    queue.runReads();
    return reader;
  }

  @Test
  void aHundredReadersOfOneRangeCostOneRead() {
    List<FakeReader> readers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      readers.add(read(70_000, 20_000));
    }
    assertThat(queue.reads()).isEqualTo(1);
    queue.runReads();
    readers.forEach(FakeReader::assertRight);
    assertThat(source.windows).containsOnlyOnce(WINDOW + "+" + WINDOW);
  }

  @Test
  void neighboursInTheUnitAreReadWithIt() {
    readNow(1000, 500).assertRight();
    for (int i = 0; i < 60; i++) {
      FakeReader neighbour = read((long) i * KIB, KIB);
      neighbour.assertRight();
    }
    assertThat(source.windows).hasSize(1);
    assertThat(cache.activity().hits()).isEqualTo(60);
  }

  @Test
  void nothingIsReadAcrossTheEdgeOfAUnit() {
    FakeReader.read(cache, source, 20 * KIB, KIB, 12 * KIB, 40 * KIB);
    queue.runReads();
    assertThat(source.windows).containsExactly(12 * KIB + "+" + 28 * KIB);
  }

  @Test
  void aRangeOverSeveralWindowsIsOneRead() {
    FakeReader whole = readNow(5000, 150_000);
    whole.assertRight();
    FakeReader again = read(60_000, 50_000);
    again.assertRight();
    assertThat(source.bytesRead()).isLessThanOrEqualTo(3L * WINDOW);
  }

  @Test
  void memoryStaysBoundedAndComesBack() {
    for (int i = 0; i < 40; i++) {
      readNow((long) i * UNIT % (16 << 20), 1000).assertRight();
      assertThat(cache.activity().now().cachedBytes()).isLessThanOrEqualTo(4L * WINDOW);
    }
    cache.forget(1);
    assertThat(cache.activity().now().cachedBytes()).isZero();
    assertThat(source.holds()).isZero();
  }

  @Test
  void evictsWhatWasConsumedBeforeWhatIsYetToCome() {
    readNow(0, 1000).assertRight();
    for (int unit = 1; unit <= 3; unit++) {
      // The last of their units, which nothing follows.
      readNow((long) unit * UNIT + UNIT - WINDOW, WINDOW).assertRight();
    }
    readNow(4L * UNIT, 1000).assertRight();
    int before = source.windows.size();

    read(2000, 1000).assertRight();

    assertThat(source.windows).hasSize(before);
  }

  @Test
  void readsLessAroundWhatIsWantedOnceNeighboursAreEvictedUnused() {
    for (int i = 0; i < 60; i++) {
      readNow((long) i * UNIT, 1000).assertRight();
    }
    assertThat(cache.activity().now().prefetchBytes()).isZero();
    assertThat(source.windows.get(59)).isEqualTo(59L * UNIT + "+4096");
    for (int unit = 0; unit < 64; unit++) {
      for (int at = 0; at < UNIT; at += WINDOW) {
        readNow((long) unit * UNIT + at, WINDOW).assertRight();
      }
    }
    assertThat(cache.activity().now().prefetchBytes()).isEqualTo(WINDOW);
  }

  @Test
  void readsThatWaitCloseToEachOtherBecomeOne() {
    for (int i = 0; i < 60; i++) {
      readNow((long) i * UNIT, 1000);
    }
    int before = source.windows.size();
    FakeReader busy = read(60L * UNIT, 100);
    List<FakeReader> readers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      readers.add(read(61L * UNIT + 6L * i * KIB, 2 * KIB));
    }
    queue.runReads();
    busy.assertRight();
    readers.forEach(FakeReader::assertRight);
    assertThat(source.windows).hasSize(before + 2);
  }

  @Test
  void neverHasMoreUnderWayThanThreads() {
    ReadCache two = cache(2, 4);
    for (int i = 0; i < 10; i++) {
      FakeReader.read(two, source, (long) i * UNIT, 100, (long) i * UNIT, (long) (i + 1) * UNIT);
      assertThat(queue.reads()).isLessThanOrEqualTo(2);
    }
    queue.runReads();
    assertThat(two.activity().now().requests()).isZero();
    assertThat(two.activity().loads()).isEqualTo(10);
  }

  @Test
  void whatFollowsIsReadOnceHalfOfAWindowWasWanted() {
    readNow(0, 20 * KIB).assertRight();
    assertThat(source.windows).hasSize(1);
    readNow(20 * KIB, 20 * KIB).assertRight();
    assertThat(source.windows).containsExactly("0+" + WINDOW, WINDOW + "+" + WINDOW);
    read(WINDOW + 1000, 1000).assertRight();
    assertThat(source.windows).hasSize(2);
    assertThat(source.holds()).isZero();
  }

  @Test
  void whoWantsAPartOfAnExtentHasNoMoreReadOnceNeighboursAreEvictedUnused() {
    for (int i = 0; i < 60; i++) {
      readPart((long) i * UNIT + 40 * KIB, 16 * KIB).assertRight();
    }
    assertThat(source.windows.get(59)).isEqualTo((59L * UNIT + 40 * KIB) + "+" + 16 * KIB);
    // Whole extents are another matter.
    assertThat(cache.activity().now().prefetchBytes()).isEqualTo(WINDOW);
  }

  @Test
  void partsOfAnExtentThatAreReadTogetherAreReadOnce() {
    for (int i = 0; i < 60; i++) {
      for (int part = 0; part < 4; part++) {
        readPart((long) i * UNIT + part * 16L * KIB, 16 * KIB).assertRight();
      }
    }
    assertThat(source.windows).hasSize(60).endsWith(59L * UNIT + "+" + WINDOW);
  }

  @Test
  void aPartIsReadAheadToItsEndAndNoFurther() {
    for (int i = 0; i < 60; i++) {
      readPart((long) i * UNIT + 40 * KIB, 16 * KIB);
    }
    int before = source.windows.size();
    long start = 60L * UNIT + 8 * KIB;
    ReadRange range =
        new ReadRange(start, start + WINDOW + 20 * KIB, 60L * UNIT, 61L * UNIT, false);
    FakeReader reader = FakeReader.read(cache, source, range, WINDOW);
    queue.runReads();
    reader.assertRight();

    assertThat(source.windows.subList(before, source.windows.size()))
        .containsExactly(start + "+" + WINDOW, (start + WINDOW) + "+" + 20 * KIB);
  }

  private FakeReader readPart(long position, int length) {
    long unit = position / UNIT * UNIT;
    ReadRange range = new ReadRange(position, position + length, unit, unit + UNIT, false);
    FakeReader reader = FakeReader.read(cache, source, range, length);
    queue.runReads();
    return reader;
  }

  @Test
  void whatFollowsIsNotReadOverTheEndOfAUnit() {
    readNow(UNIT - WINDOW, WINDOW).assertRight();
    assertThat(source.windows).containsExactly((UNIT - WINDOW) + "+" + WINDOW);
  }

  @Test
  void nothingIsReadAheadWhileSomebodyWaits() {
    FakeReader first = read(0, WINDOW);
    FakeReader second = read(UNIT, 100);
    queue.runReads();
    first.assertRight();
    second.assertRight();
    assertThat(source.windows).containsExactly("0+" + WINDOW, UNIT + "+" + WINDOW);
  }

  @Test
  void readingAheadEvictsNothingThatMayBeWanted() {
    for (int unit = 1; unit <= 3; unit++) {
      readNow((long) unit * UNIT, 1000).assertRight();
    }
    readNow(0, 40 * KIB).assertRight();
    assertThat(source.windows).hasSize(4);
    for (int unit = 1; unit <= 3; unit++) {
      read((long) unit * UNIT + 2000, 1000).assertRight();
    }
  }

  @Test
  void whatIsReadAheadIsFoundAlsoIfItTookTheMemoryOfItsFilesLastWindow() {
    ReadCache small = cache(1, 2);
    FakeSource other = new FakeSource(2, UNIT);
    FakeReader kept = FakeReader.read(small, other, 0, 1000, 0, UNIT);
    queue.runReads();
    FakeReader whole = FakeReader.read(small, source, 0, WINDOW, 0, UNIT);
    queue.runReads();

    FakeReader next = FakeReader.read(small, source, WINDOW + 1000, 1000, 0, UNIT);
    List.of(kept, whole, next).forEach(FakeReader::assertRight);
    assertThat(source.windows).containsExactly("0+" + WINDOW, WINDOW + "+" + WINDOW);
    small.forget(1);
    small.forget(2);
    assertThat(small.activity().now().cachedBytes()).isZero();
  }

  @Test
  void whatCannotBeReadAheadHarmsNobody() {
    source.spoil(WINDOW + 10_000, WINDOW + 10_001);
    readNow(0, 40 * KIB).assertRight();
    assertThat(source.holds()).isZero();
    readNow(WINDOW + 100, 1000).assertRight();
  }

  @Test
  void badBytesCostOnlyWhoAskedForThem() {
    source.spoil(10_000, 10_001);
    FakeReader bad = read(9_000, 2_000);
    FakeReader good = read(20_000, 2_000);
    queue.runReads();
    good.assertRight();
    assertThat(bad.ends).isEqualTo(1);
    assertThat(code(bad)).isEqualTo(ErrorCode.DISK_FAILED);
    assertThat(cache.activity().now().cachedBytes()).isZero();
    assertThat(source.holds()).isZero();
  }

  private static ErrorCode code(FakeReader reader) {
    SluiceException failure = reader.failure;
    if (failure == null) {
      throw new AssertionError("did not fail");
    }
    return failure.code();
  }

  @Test
  void aStalledDiskEndsAllThatWaitAndMayStillFillItsWindow() {
    FakeReader loading = read(0, 100);
    FakeReader waiting = read(UNIT, 100);
    cache.failWaiting(new SluiceException(ErrorCode.DATA_LOST, "hangs"));
    assertThat(code(loading)).isEqualTo(ErrorCode.DATA_LOST);
    assertThat(code(waiting)).isEqualTo(ErrorCode.DATA_LOST);
    assertThat(source.holds()).isEqualTo(1);

    queue.runReads();

    assertThat(loading.ends).isEqualTo(1);
    assertThat(source.holds()).isZero();
    read(50, 100).assertRight();
  }

  @Test
  void aDiskThatStallsAtASecondTryEndsTheOthersThatWaitForTheirs() {
    source.spoil(30_000, 30_001);
    FakeReader first = read(9_000, 2_000);
    FakeReader second = read(20_000, 2_000);
    FakeReader third = read(25_000, 2_000);
    List<Boolean> doneMeanwhile = new ArrayList<>();
    source.beforeSingleReads(
        () -> {
          cache.failWaiting(new SluiceException(ErrorCode.DATA_LOST, "hangs"));
          doneMeanwhile.addAll(List.of(first.done(), second.done(), third.done()));
        });

    queue.runReads();

    assertThat(doneMeanwhile)
        .as("while the first is tried again")
        .containsExactly(false, true, true);
    first.assertRight();
    assertThat(code(second)).isEqualTo(ErrorCode.DATA_LOST);
    assertThat(code(third)).isEqualTo(ErrorCode.DATA_LOST);
    assertThat(source.holds()).isZero();
    assertThat(cache.activity().now().loads()).isZero();
  }

  private static final List<ReadCache.Place> PLACES =
      List.of(
          new ReadCache.Place(1, UNIT),
          new ReadCache.Place(1, 50),
          new ReadCache.Place(1, 60),
          new ReadCache.Place(1, 2 * UNIT));

  @Test
  void whatIsThereIsAtHandFirst() {
    read(UNIT, 100);
    readNow(0, 100);
    assertThat(cache.firstAtHand(PLACES)).isEqualTo(0);
    assertThat(cache.firstAtHand(PLACES.subList(1, 4))).isEqualTo(0);
    read(3L * UNIT, 100);
    assertThat(cache.firstAtHand(PLACES)).as("the disk is busy").isEqualTo(0);
  }

  @Test
  void anIdleThreadOfTheDiskIsWorthMoreThanCompany() {
    ReadCache two = cache(2, 4);
    FakeReader.read(two, source, 0, 100, 0, UNIT);
    assertThat(two.firstAtHand(PLACES)).as("one thread is free").isZero();
    assertThat(two.firstAtHand(PLACES.subList(1, 3))).as("all are under way").isZero();
    FakeReader.read(two, source, UNIT, 100, UNIT, 2 * UNIT);
    assertThat(two.firstAtHand(PLACES.subList(2, 4))).as("none is free").isZero();
    assertThat(two.firstAtHand(PLACES.subList(3, 4))).as("nobody has asked").isEqualTo(-1);
  }

  @Test
  void aClosedDiskEndsAllThatWaits() {
    List<FakeReader> readers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      readers.add(read((long) i * UNIT, 100));
    }
    queue.die();
    cache.close();
    assertThat(readers).extracting(ReadCacheTest::code).containsOnly(ErrorCode.SHUTTING_DOWN);
    FakeReader late = read(11L * UNIT, 100);
    cache.close();
    assertThat(late.ends).isEqualTo(1);
  }

  @Test
  void anEmptyReadEndsAtOnce() {
    read(1000, 0).assertRight();
    assertThat(source.windows).isEmpty();
  }
}
