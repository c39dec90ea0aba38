package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reader takes, and what it says of it. */
class ReaderMemoryTest extends FetchFixture {
  private static final int BLOCKS = 400;

  private final SluiceClient roomy =
      cluster.client(ClientConfig.builder().readerCreditBytes(4 << 20).build());

  /** Nothing, too little and too much: what servers send ahead is what a reader may do with. */
  @ParameterizedTest
  @ValueSource(longs = {0, 100_000, 1 << 20, 1L << 40})
  void servesSendAheadAsMuchAsWasGranted(long granted) throws InterruptedException {
    long credit = Math.min(4 << 20, Math.max(512 * 1024, granted));
    Counting memory = new Counting(granted);
    ExpectedMaps many = writeLongOutput();

    BlockReader reader = roomy.read(placement, 0, 1, 0, 10, many, memory);
    cluster.loop.runFor(Duration.ofSeconds(60).toNanos());

    assertThat(memory.asked).containsExactly(4L << 20);
    long all = BLOCKS * (long) (BLOCK + BlockHeader.LENGTH);
    assertThat(cluster.activeBytes()).isBetween(Math.min(all, credit) * 3 / 4, credit + 512 * 1024);
    assertThat(count(reader)).isEqualTo(BLOCKS);
    roomy.close();
  }

  @Test
  void allServersAreReadWithTheLeastCredit() throws InterruptedException {
    Counting memory = new Counting(0);
    BlockReader reader =
        roomy.read(placement, 0, PARTITIONS, 0, MAPS, expected(0, PARTITIONS), memory);

    assertThat(count(reader)).isEqualTo(MAPS * PARTITIONS);
    assertThat(memory.held).isZero();
    roomy.close();
  }

  @Test
  void longRecordsAreHeldUntilTheyAreDelivered() throws InterruptedException {
    Counting memory = new Counting(1L << 40);
    BlockReader reader = roomy.read(placement, 0, 1, 0, 10, writeLongRecord(), memory);

    List<Long> held = new ArrayList<>();
    while (reader.next() != null) {
      held.add(memory.held);
    }
    assertThat(memory.most).isEqualTo(3 * (100_000L + BlockHeader.LENGTH));
    assertThat(held).containsExactly(2 * (100_000L + BlockHeader.LENGTH), 100_040L, 0L);
    reader.close();
    assertThat(memory.held).isZero();
    roomy.close();
  }

  @Test
  void aReaderThatIsClosedEarlyHoldsNothing() throws InterruptedException {
    Counting memory = new Counting(1L << 40);
    BlockReader reader = roomy.read(placement, 0, 1, 0, 10, writeLongRecord(), memory);

    assertThat(reader.next()).isNotNull();
    assertThat(memory.held).isPositive();
    reader.close();
    reader.close();

    assertThat(memory.held).isZero();
    roomy.close();
  }

  private ExpectedMaps writeLongOutput() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int i = 0; i < BLOCKS; i++) {
        SHUFFLE.push(output, 0, i == BLOCKS - 1 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    return expectedMap();
  }

  private ExpectedMaps writeLongRecord() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int i = 0; i < 3; i++) {
        output.beginBlock(0, 100_000).put(new byte[100_000]);
        output.endBlock(100_000, 100_000, 1, i == 2 ? BlockHeader.LAST : BlockHeader.CONTINUES);
      }
      output.finish();
    }
    return expectedMap();
  }

  private static ExpectedMaps expectedMap() {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(MAPS, 100 + MAPS), 0);
    return expected.build();
  }

  /** Grants a given credit, and adds up. */
  private static final class Counting implements ReaderMemory {
    final List<Long> asked = new ArrayList<>();
    private final long granted;
    long held;
    long most;

    Counting(long granted) {
      this.granted = granted;
    }

    @Override
    public long credit(long wanted) {
      asked.add(wanted);
      return granted;
    }

    @Override
    public void held(long bytes) {
      held += bytes;
      most = Math.max(most, held);
    }
  }
}
