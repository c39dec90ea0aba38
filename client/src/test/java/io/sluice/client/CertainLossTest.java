package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.common.block.BlockHeader;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reader that has taken something for lost delivers no more, so it must not end as if whole. */
class CertainLossTest {
  private static final int PARTITIONS = 3;
  private static final int BLOCK = 1_000;

  private final FakeCluster cluster = new FakeCluster(4, 1);
  private final FakeServer outer = cluster.servers.get(0);
  private final FakeServer shared = cluster.servers.get(1);

  /** The one in the middle is with two others. */
  private final ShufflePlacement placement =
      FixedPlacement.of(
          cluster.shuffle,
          PARTITIONS,
          cluster.servers.stream().map(FakeServer::placed).toList(),
          2,
          new int[] {0, 1, 2, 3, 0, 1});

  private final SluiceClient client =
      cluster.client(ClientConfig.builder().suspectAfter(Duration.ofSeconds(5)).build());

  @BeforeEach
  void write() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 100)) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        output.beginBlock(partition, BLOCK).put(new byte[BLOCK]);
        output.endBlock(BLOCK, BLOCK, 1, BlockHeader.LAST);
      }
      output.finish();
    }
  }

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  /** It is with a server of which the reader's placement does not say so. */
  @Test
  void staysMissingWhenItComesWithItsNeighboursAfterAll() {
    FakeServer inner = cluster.servers.get(2);
    shared.blocks(cluster.shuffle, 1).addAll(inner.blocks(cluster.shuffle, 1));
    inner.remove(cluster.shuffle);
    cluster.servers.get(3).remove(cluster.shuffle);
    outer.frozenUntil = cluster.loop.now() + Duration.ofSeconds(9).toNanos();
    assertThatThrownBy(this::readAll)
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing ->
                assertThat(missing.maps()).extracting(MissingMap::partition).isEqualTo(List.of(1)));
    assertThat(shared.fetches).as("for the neighbours").isEqualTo(1);
    assertThat(shared.sentBytes).as("of all three").isGreaterThan(3 * BLOCK);
  }

  private void readAll() throws InterruptedException {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, PARTITIONS);
    int position = expected.add(0, 100);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      expected.nonEmpty(position, partition);
    }
    try (BlockReader reader =
        client.read(placement, 0, PARTITIONS, 0, Integer.MAX_VALUE, expected.build())) {
      int blocks = 0;
      while (reader.next() != null) {
        blocks++;
      }
      assertThat(blocks).as("blocks of a read that ended well").isEqualTo(PARTITIONS);
    }
  }
}
