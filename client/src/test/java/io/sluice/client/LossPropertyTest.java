package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.client.WrittenShuffle.Attempt;
import io.sluice.client.WrittenShuffle.Place;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.fake.StoredBlock;
import io.sluice.common.block.BlockHeader;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A reader returns exactly the winners' blocks, or lists exactly the maps that are not whole. */
class LossPropertyTest {
  private static final int PARTITIONS = 6;
  private static final int MAPS = 5;

  @Property(tries = 150)
  void reportsExactlyWhatWasLost(@ForAll long seed) throws InterruptedException {
    Random random = new Random(seed);
    FakeCluster cluster = new FakeCluster(1 + random.nextInt(3), seed);
    WrittenShuffle written = new WrittenShuffle(random, PARTITIONS);
    ShufflePlacement placement = cluster.placement(PARTITIONS);
    // Of records that are longer than a block: for all of them, or for the longest that there can
    // be.
    long longRecords = random.nextBoolean() ? 1 << 20 : 5 * (3000 + BlockHeader.LENGTH);
    SluiceClient client =
        cluster.client(ClientConfig.builder().maxSpanningRecordBytes(longRecords).build());
    for (int map = 0; map < MAPS; map++) {
      try (MapOutput output = client.openMapOutput(placement, map, map)) {
        written.write(output, new Attempt(map, map), true, 3000);
        output.finish();
      }
    }
    Set<Integer> lost = new TreeSet<>();
    double losses = random.nextInt(3) * 0.05;
    for (FakeServer server : cluster.servers) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        List<StoredBlock> blocks = server.blocks(cluster.shuffle, partition);
        List<StoredBlock> gone =
            blocks.stream().filter(block -> random.nextDouble() < losses).toList();
        blocks.removeAll(gone);
        gone.forEach(block -> lost.add(block.mapIndex()));
      }
    }
    cluster.faults.duplicateBlock = 0.2;
    cluster.faults.reorderBlocks = 0.5;
    cluster.faults.interleave = 0.5;
    cluster.faults.dropConnectionPerPiece = random.nextDouble() * 0.02;

    try (BlockReader reader =
        client.read(placement, 0, PARTITIONS, 0, MAPS, written.expected(0, PARTITIONS))) {
      Map<Place, List<byte[]>> read = WrittenShuffle.drain(reader);
      assertThat(lost).as("silently lost").isEmpty();
      written.assertExactly(read, written.places(0, PARTITIONS, 0, MAPS));
    } catch (MissingBlocksException missing) {
      Set<Integer> reported =
          missing.maps().stream()
              .map(MissingBlocksException.MissingMap::mapIndex)
              .collect(Collectors.toCollection(TreeSet::new));
      if (!reported.equals(lost)) {
        fail("lost %s, reported %s: %s", lost, reported, missing.getMessage());
      }
      assertThat(missing.maps()).as("each map once").hasSameSizeAs(reported);
    }
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }
}
