package io.sluice.server.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.disk.ReadOptions;
import io.sluice.server.disk.StepQueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadLeaseTest {
  private static final int KIB = 1 << 10;
  private static final int UNIT = 256 * KIB;
  private static final int WINDOW = 64 * KIB;

  private final StepQueue queue = new StepQueue();
  private final FakeSource source = new FakeSource(1, 64L << 20);
  private final ReadCache cache = cache(8);

  private ReadCache cache(int windows) {
    return new ReadCache(
        new ReadOptions(1, 1000, WINDOW, 8 * KIB, windows * WINDOW), "disk", queue::read);
  }

  private FakeReader lease(long position, int length) {
    return lease(cache, position, length);
  }

  private FakeReader lease(ReadCache from, long position, int length) {
    long unit = position / UNIT * UNIT;
    ReadRange range = new ReadRange(position, position + length, unit, unit + UNIT, true);
    FakeReader reader = FakeReader.lease(from, source, range, length);
    queue.runReads();
    return reader;
  }

  private long leased() {
    return cache.activity().now().leasedBytes();
  }

  private long inWindows() {
    return cache.activity().now().cachedBytes();
  }

  @Test
  void whatWasReadAndWhatIsThereIsLeased() {
    FakeReader first = lease(0, 20 * KIB);
    FakeReader second = lease(20 * KIB, 20 * KIB);

    assertThat(first.target.leases()).isEqualTo(1);
    assertThat(second.target.leases()).isEqualTo(1);
    assertThat(leased()).as("of one window").isEqualTo(WINDOW);
    first.assertRight();
    first.target.giveBack();
    assertThat(leased()).isEqualTo(WINDOW);
    second.assertRight();
    second.target.giveBack();
    assertThat(leased()).isZero();
  }

  @Test
  void whatIsLeasedStaysAsItIsHoweverMuchIsRead() {
    FakeReader kept = lease(0, WINDOW);
    readOneWindowOfEach(1, 100);
    kept.assertRight();
    kept.target.giveBack();
    assertThat(leased()).isZero();
  }

  @Test
  void whoNeverGivesBackHasHalfOfTheMemoryAndOthersReadOn() {
    List<FakeReader> stuck = new ArrayList<>();
    for (int unit = 0; unit < 20; unit++) {
      stuck.add(lease((long) unit * UNIT, WINDOW));
    }
    assertThat(leased()).isEqualTo(4L * WINDOW);
    assertThat(stuck.subList(4, 20)).allMatch(reader -> reader.target.leases() == 0);
    stuck.forEach(FakeReader::assertRight);

    stuck.get(0).target.giveBack();

    assertThat(lease(50L * UNIT, WINDOW).target.leases()).isEqualTo(1);
  }

  @Test
  void whatIsLeasedIsNotReadAgainHoweverMuchIsRead() {
    // So that it might have been evicted before.
    lease(0, WINDOW).target.giveBack();
    FakeReader kept = lease(0, WINDOW);
    readOneWindowOfEach(1, 100);
    int before = source.windows.size();

    FakeReader again = lease(0, WINDOW);

    again.assertRight();
    assertThat(again.target.leases()).isEqualTo(1);
    assertThat(source.windows).hasSize(before);
    kept.target.giveBack();
    again.target.giveBack();
    readOneWindowOfEach(1, 100);
    lease(0, WINDOW).assertRight();
    assertThat(source.windows)
        .as("once nobody leases it")
        .filteredOn(("0+" + WINDOW)::equals)
        .hasSize(2);
  }

  private void readOneWindowOfEach(int firstUnit, int endUnit) {
    for (int unit = firstUnit; unit < endUnit; unit++) {
      FakeReader other = lease((long) unit * UNIT, WINDOW);
      other.assertRight();
      other.target.giveBack();
    }
  }

  @Test
  void smallWindowsThatAreKeptLeaveRoomForLargeOnes() {
    // Units of 16 KiB, so four windows in each of the eight blocks, the first of which is kept.
    List<FakeReader> stuck = new ArrayList<>();
    for (int unit = 0; unit < 32; unit++) {
      FakeReader reader = small(unit, unit % 4 == 0);
      reader.assertRight();
      stuck.add(reader);
    }
    assertThat(leased()).as("four blocks").isEqualTo(4L * WINDOW);

    FakeReader neighbour = small(1, true);
    FakeReader elsewhere = small(31, true);
    FakeReader large = lease(200L * UNIT, WINDOW);

    large.assertRight();
    assertThat(neighbour.target.leases()).as("in a block that is kept").isEqualTo(1);
    assertThat(elsewhere.target.leases()).isZero();
    stuck.forEach(FakeReader::assertRight);
  }

  private FakeReader small(int number, boolean leases) {
    int size = 16 * KIB;
    long start = (long) number * size;
    ReadRange range = new ReadRange(start, start + size, start, start + size, true);
    FakeReader reader =
        leases
            ? FakeReader.lease(cache, source, range, size)
            : FakeReader.read(cache, source, range, size);
    queue.runReads();
    return reader;
  }

  @Test
  void whatWasLeasedCountsAsWanted() {
    lease(0, 20 * KIB).target.giveBack();
    lease(20 * KIB, 20 * KIB).target.giveBack();
    assertThat(source.windows)
        .as("half of a window, so the next was read ahead")
        .containsExactly("0+" + WINDOW, WINDOW + "+" + WINDOW);
    readOneWindowOfEach(1, 200);
    assertThat(cache.activity().now().prefetchBytes()).isEqualTo(WINDOW);
  }

  @Test
  void nothingIsLeasedWhereItWouldLeaveTooLittleToReadInto() {
    ReadCache small = cache(2);
    FakeReader reader = lease(small, 0, WINDOW);
    assertThat(reader.target.leases()).isZero();
    reader.assertRight();
  }

  @Test
  void aFewBytesAreCopied() {
    FakeReader reader = lease(0, 1000);
    assertThat(reader.target.leases()).isZero();
    reader.assertRight();
  }

  @Test
  void aPageIsLeasedAndWhatIsSmallerIsCounted() {
    FakeReader page = lease(0, 4 * KIB);
    assertThat(page.target.leases()).isEqualTo(1);
    assertThat(cache.activity().copiedBytes()).isZero();
    FakeReader less = lease(8 * KIB, 4 * KIB - 1);
    assertThat(less.target.leases()).isZero();
    assertThat(cache.activity().copiedBytes()).isEqualTo(4 * KIB - 1);
  }

  @Test
  void aLeaseEndsOnce() {
    List<ReadTarget.Lease> leases = new ArrayList<>();
    FakeReader kept = lease(0, 20 * KIB);
    ReadRange range = new ReadRange(0, 20 * KIB, 0, UNIT, true);
    cache.read(
        source,
        range,
        new FakeTarget(20 * KIB, true) {
          @Override
          public synchronized void lease(int offset, ByteBuffer bytes, Lease lease) {
            leases.add(lease);
          }
        },
        failure -> {});
    leases.get(0).end();
    assertThatThrownBy(leases.get(0)::end).isInstanceOf(IllegalStateException.class);
    assertThat(leased()).as("of the other reader").isEqualTo(WINDOW);
    kept.target.giveBack();
    assertThat(leased()).isZero();
  }

  @Test
  void aReadOverTwoWindowsHasALeaseOfEach() {
    FakeReader reader = lease(30 * KIB, WINDOW);
    assertThat(reader.target.leases()).isEqualTo(2);
    reader.assertRight();
    reader.target.giveBack();
    assertThat(leased()).isZero();
  }

  @Test
  void aReadThatFailsHalfwayHasItsLeaseToGiveBack() {
    lease(0, 1000).assertRight();
    source.spoil(WINDOW + 20_000, WINDOW + 20_001);
    FakeReader reader = lease(30 * KIB, WINDOW);
    assertThat(reader.failure).isNotNull();
    assertThat(reader.target.leases()).isEqualTo(1);
    reader.target.giveBack();
    assertThat(leased()).isZero();
  }

  @Test
  void theMemoryOfARemovedFileIsFreedWithItsLastLease() {
    FakeReader first = lease(0, 20 * KIB);
    FakeReader second = lease(20 * KIB, 20 * KIB);
    cache.forget(source.number());
    assertThat(inWindows()).isEqualTo(WINDOW);
    first.target.giveBack();
    assertThat(inWindows()).isEqualTo(WINDOW);
    second.assertRight();
    second.target.giveBack();
    assertThat(inWindows()).isZero();
    assertThat(leased()).isZero();
  }
}
