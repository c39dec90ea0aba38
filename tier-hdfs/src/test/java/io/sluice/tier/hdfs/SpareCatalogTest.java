package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.segment.TestBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A catalog whose disk may fail, or hang. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpareCatalogTest {
  private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long AMPLE = TimeUnit.HOURS.toNanos(1);
  private static final List<Removal> REMOVAL = List.of(new Removal(1, TestBlocks.shuffle(1)));

  private final SimulatedCatalog disk = new SimulatedCatalog();
  private final CountDownLatch answer = new CountDownLatch(1);
  private int disowned;
  private int failingDisownings;
  private final SpareCatalog catalog =
      new SpareCatalog(
          disk, new CatalogThread(() -> {}), this::disown, SpareCatalog.Patience.USUAL);
  private final CatalogThread thread = new CatalogThread(() -> {});
  private final SpareCatalog impatient =
      new SpareCatalog(disk, thread, this::disown, new SpareCatalog.Patience(SHORT, SHORT));

  private void disown() throws IOException {
    if (failingDisownings > 0) {
      failingDisownings--;
      throw new IOException("HDFS does not answer");
    }
    disowned++;
  }

  @AfterEach
  void close() {
    answer.countDown();
    catalog.close();
    impatient.close();
  }

  private void put(long offset) {
    catalog.put(1, offset, ByteBuffer.allocate(100));
  }

  /** The disk's next record takes until it answers. */
  private void hang() {
    disk.duringNextPut(this::awaitAnswer);
  }

  private void awaitAnswer() {
    try {
      answer.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Long> offsets(SpareCatalog of) {
    List<Long> seen = new ArrayList<>();
    of.scan(1, (segment, offset, header) -> seen.add(offset));
    return seen;
  }

  @Test
  void recordsWhileItsDiskWorks() {
    put(0);
    put(4096);

    assertThat(disk.units()).isEqualTo(2);
    assertThat(offsets(catalog)).containsExactly(0L, 4096L);
    catalog.drop(1, 4096);
    assertThat(offsets(catalog)).containsExactly(0L);
    catalog.beginRemoval(REMOVAL);
    assertThat(disk.units()).isZero();
    assertThat(disowned).isZero();
  }

  @Test
  void recordsNothingAnyMoreOnceOneRecordIsMissing() {
    put(0);
    disk.failPuts(1);
    put(4096);
    put(8192);
    catalog.beginRemoval(REMOVAL);

    assertThat(disk.units()).as("no unit behind the missing one, no hole").isEqualTo(1);
    assertThat(offsets(catalog)).as("what is told is all").isEmpty();
  }

  @Test
  void aDiskThatHangsHoldsUpNobodyForLong() {
    hang();
    ByteBuffer header = ByteBuffer.allocate(100).put(0, (byte) 1);

    impatient.put(1, 0, header);
    // All of these at once, or else the test takes too long.
    for (int i = 1; i < 10_000; i++) {
      impatient.put(1, i * 4096L, header);
    }
    impatient.endRemoval(REMOVAL);
    impatient.sync();
    assertThat(offsets(impatient)).isEmpty();
    header.put(0, (byte) 9);
    answer.countDown();
    impatient.close();

    List<Byte> recorded = new ArrayList<>();
    disk.scan(1, (segment, offset, record) -> recorded.add(record.get(0)));
    assertThat(recorded).as("the one that was on its way, as it was").containsExactly((byte) 1);
  }

  @Test
  void isClosedWithoutADiskThatHangs() {
    hang();
    impatient.put(1, 0, ByteBuffer.allocate(100));

    impatient.close();

    assertThat(answer.getCount()).isEqualTo(1);
  }

  @Test
  void isDisownedBeforeItLacksARemoval() {
    disk.failPuts(1);
    put(0);
    put(4096);
    assertThat(disowned).as("units that are not recorded are found by their headers").isZero();

    catalog.beginRemoval(REMOVAL);
    assertThat(disowned).isEqualTo(1);
    catalog.beginRemoval(REMOVAL);
    catalog.drop(1, 0);

    assertThat(disowned).isEqualTo(1);
  }

  @Test
  void isDisownedBeforeARecordStaysOfAUnitThatIsGone() {
    hang();
    impatient.put(1, 0, ByteBuffer.allocate(100));

    impatient.drop(1, 0);

    assertThat(disowned).isEqualTo(1);
  }

  @Test
  void whoeverWantsUnitsGoneHearsWhenItCannotBeDisownedAndMayTryAgain() {
    disk.failPuts(1);
    put(0);
    failingDisownings = 1;

    assertThatThrownBy(() -> catalog.beginRemoval(REMOVAL))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FAILED));
    catalog.beginRemoval(REMOVAL);

    assertThat(disowned).isEqualTo(1);
  }

  /** Its opener reads unit headers on HDFS then, as it does for one that it cannot understand. */
  @Test
  void oneThatCannotBeReadAtTheStartIsCalledCorruptAndNotHdfsFailed() {
    disk.failFullScans();
    assertThatThrownBy(() -> catalog.scan((segment, offset, header) -> {}))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CATALOG));
  }

  @Test
  void oneThatHangsAtTheStartIsCalledCorruptAndShowsNothingLater() {
    put(0);
    put(4096);
    List<Long> seen = new ArrayList<>();
    disk.duringNextFullScan(this::awaitAnswer);

    assertThatThrownBy(() -> impatient.scan((segment, offset, header) -> seen.add(offset)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CATALOG));
    answer.countDown();
    assertThat(thread.call(() -> true, AMPLE)).as("the scan has ended").isTrue();

    assertThat(seen).containsExactly(0L);
  }
}
