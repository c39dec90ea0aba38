package io.sluice.client.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.ClientConfig;
import io.sluice.client.FixedPlacement;
import io.sluice.client.MapOutput;
import io.sluice.client.ReaderMemory;
import io.sluice.client.SluiceClient;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.Transport;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks of one process with memory for one long record together, which they have to wait for. */
@Timeout(60)
class SharedLongRecordsConcurrencyTest {
  private static final int READERS = 4;
  private static final int MAPS = 12;
  private static final int RECORDS = 3;
  private static final int BLOCKS_OF_RECORD = 5;
  private static final int BLOCK = 40_000;
  private static final long RECORD = BLOCKS_OF_RECORD * (long) (BLOCK + BlockHeader.LENGTH);
  private static final long BOUND = RECORD * 3 / 2;

  private final AtomicLong held = new AtomicLong();
  private final AtomicLong most = new AtomicLong();

  private final ReaderMemory memory =
      new ReaderMemory() {
        @Override
        public long credit(long wanted) {
          return wanted;
        }

        @Override
        public void held(long bytes) {
          // What is given back is told before it can be taken, what is taken after.
          long now = held.addAndGet(bytes);
          most.accumulateAndGet(now, Math::max);
        }
      };

  @Test
  void takeTurnsAndReadEverythingOnce() throws Exception {
    ExecutorService tasks = Executors.newFixedThreadPool(MAPS);
    try (HeapServer server = HeapServer.start(Transport.NETTY, 1, 0, new HeapServer.Store(), true);
        SluiceClient client =
            SluiceClient.open(ClientConfig.builder().maxSpanningRecordBytes(BOUND).build())) {
      FixedPlacement placement =
          FixedPlacement.of(
              new ShuffleKey(ApplicationId.of(4, 2), 1, 0),
              READERS,
              List.of(server.placed()),
              1,
              new int[READERS]);
      List<Callable<Void>> writers = new ArrayList<>();
      for (int map = 0; map < MAPS; map++) {
        int index = map;
        writers.add(() -> write(client, placement, index));
      }
      await(tasks, writers);
      List<Callable<Void>> readers = new ArrayList<>();
      for (int partition = 0; partition < READERS; partition++) {
        int index = partition;
        readers.add(() -> read(client, placement, index));
      }
      await(tasks, readers);
      assertThat(client.longRecordBytes()).isZero();
    } finally {
      tasks.shutdownNow();
    }
    assertThat(held).hasValue(0);
    assertThat(most.get()).isBetween(RECORD, BOUND);
  }

  private static Void write(SluiceClient client, FixedPlacement placement, int map)
      throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, map, 100 + map)) {
      for (int record = 0; record < RECORDS; record++) {
        for (int i = 0; i < BLOCKS_OF_RECORD; i++) {
          boolean ends = i == BLOCKS_OF_RECORD - 1;
          int flags =
              (ends ? 0 : BlockHeader.CONTINUES)
                  | (ends && record == RECORDS - 1 ? BlockHeader.LAST : 0);
          for (int partition = 0; partition < READERS; partition++) {
            output.beginBlock(partition, BLOCK).putInt(map).put(new byte[BLOCK - 4]);
            output.endBlock(BLOCK, BLOCK, 1, flags);
          }
        }
      }
      output.finish();
    }
    return null;
  }

  private Void read(SluiceClient client, FixedPlacement placement, int partition)
      throws InterruptedException {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(partition, partition + 1);
    for (int map = 0; map < MAPS; map++) {
      expected.nonEmpty(expected.add(map, 100 + map), partition);
    }
    BitSet seen = new BitSet();
    try (BlockReader reader =
        client.read(placement, partition, partition + 1, 0, MAPS, expected.build(), memory)) {
      BlockReader.Block block;
      while ((block = reader.next()) != null) {
        assertThat(block.payload().getInt()).isEqualTo(block.mapIndex());
        int number = block.mapIndex() * RECORDS * BLOCKS_OF_RECORD + block.sequence();
        assertThat(seen.get(number)).as("twice").isFalse();
        seen.set(number);
        assertThat(client.longRecordBytes()).isLessThanOrEqualTo(BOUND);
      }
    }
    assertThat(seen.cardinality()).isEqualTo(MAPS * RECORDS * BLOCKS_OF_RECORD);
    return null;
  }

  private static void await(ExecutorService tasks, List<Callable<Void>> calls) throws Exception {
    for (Future<Void> ended : tasks.invokeAll(calls)) {
      ended.get();
    }
  }
}
