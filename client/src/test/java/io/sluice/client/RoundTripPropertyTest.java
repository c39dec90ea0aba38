package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.WrittenShuffle.Attempt;
import io.sluice.client.WrittenShuffle.Place;
import io.sluice.client.fake.FakeCluster;
import io.sluice.common.block.BlockHeader;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever the network does, a reader returns exactly the winners' blocks. */
class RoundTripPropertyTest {
  private static final int MAX_BLOCK = 50_000;

  /** With memory for all records that are longer than a block, or for the longest there can be. */
  private static ClientConfig config(Random random) {
    return ClientConfig.builder()
        .frameBytes(16 * 1024)
        .maxBlockBytes(64 * 1024)
        .maxInFlightBytes(256 * 1024)
        .readerCreditBytes(1024 * 1024)
        .maxSpanningRecordBytes(
            random.nextBoolean() ? 1L << 30 : 5 * (MAX_BLOCK + BlockHeader.LENGTH))
        .build();
  }

  @Property(tries = 60)
  void readsWhatWasWrittenOverAQuietNetwork(@ForAll long seed) throws InterruptedException {
    roundTrip(new FakeCluster(1 + (int) Math.floorMod(seed, 4L), seed), seed);
  }

  @Property(tries = 150)
  void readsWhatWasWrittenOverABadNetwork(@ForAll long seed) throws InterruptedException {
    FakeCluster cluster = new FakeCluster(1 + (int) Math.floorMod(seed, 4L), seed);
    Random random = new Random(~seed);
    cluster.faults.dropConnectionPerPush = random.nextDouble() * 0.1;
    cluster.faults.dropConnectionPerPiece = random.nextDouble() * 0.02;
    cluster.faults.refuseConnection = random.nextDouble() * 0.2;
    cluster.faults.duplicateBlock = random.nextDouble() * 0.3;
    cluster.faults.reorderBlocks = random.nextDouble();
    cluster.faults.interleave = random.nextDouble();
    cluster.faults.partialGrant = random.nextDouble();
    cluster.faults.withholdRefund = random.nextDouble() * 0.5;
    cluster.faults.maxDelayNanos = 1L << random.nextInt(28);
    cluster.servers.forEach(server -> server.seedCredit = 4096L << random.nextInt(6));
    roundTrip(cluster, seed);
  }

  private static void roundTrip(FakeCluster cluster, long seed) throws InterruptedException {
    Random random = new Random(seed);
    int partitions = 1 + random.nextInt(12);
    int maps = 1 + random.nextInt(6);
    WrittenShuffle written = new WrittenShuffle(random, partitions);
    ShufflePlacement placement = cluster.placement(partitions);
    SluiceClient client = cluster.client(config(random));

    for (int map = 0; map < maps; map++) {
      if (random.nextInt(3) == 0) {
        write(client, placement, written, new Attempt(map, 1000 + map), false);
      }
      write(client, placement, written, new Attempt(map, map), true);
    }

    int first = random.nextInt(partitions);
    int end = first + 1 + random.nextInt(partitions - first);
    int firstMap = random.nextInt(2) == 0 ? 0 : random.nextInt(maps);
    int endMap = random.nextInt(2) == 0 ? Integer.MAX_VALUE : firstMap + random.nextInt(maps);
    try (BlockReader reader =
        client.read(placement, first, end, firstMap, endMap, written.expected(first, end))) {
      Map<Place, List<byte[]>> read = WrittenShuffle.drain(reader);
      written.assertExactly(read, written.places(first, end, firstMap, endMap));
    }
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  private static void write(
      SluiceClient client,
      ShufflePlacement placement,
      WrittenShuffle written,
      Attempt attempt,
      boolean winner)
      throws InterruptedException {
    try (MapOutput output =
        client.openMapOutput(placement, attempt.mapIndex(), attempt.attemptId())) {
      written.write(output, attempt, winner, MAX_BLOCK);
      if (winner) {
        output.finish();
      }
    }
  }
}
