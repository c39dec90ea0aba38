package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.common.block.BlockHeader;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A reader in the middle of a long partition whose server goes away. */
class ContinuedReadTest {
  private static final int MAPS = 400;
  private static final int READ = 300;
  private static final int BLOCK = 10_000;
  private static final long CREDIT = 512 * 1024;
  private static final UniformShuffle SHUFFLE = new UniformShuffle(MAPS, 1, BLOCK);

  private final FakeCluster cluster = new FakeCluster(2, 1);
  private final FakeServer first = cluster.servers.get(0);
  private final FakeServer second = cluster.servers.get(1);
  private final SluiceClient client =
      cluster.client(ClientConfig.builder().readerCreditBytes(CREDIT).build());

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  @Test
  void goesOnAtAnotherReplicaFromWhereItStood() throws InterruptedException {
    ShufflePlacement placement = write(2);
    try (BlockReader reader = SHUFFLE.read(client, placement)) {
      read(reader, READ);
      first.up = false;
      first.dropConnections();
      read(reader, MAPS - READ);
      assertThat(reader.next()).isNull();
    }
    assertThat(second.sentBytes).isBetween(bytes(MAPS - READ) - CREDIT, bytes(MAPS - READ));
    assertThat(first.sentBytes).isLessThan(bytes(READ) + 2 * CREDIT);
  }

  @Test
  void goesOnAtTheSameServerFromWhereItStood() throws InterruptedException {
    ShufflePlacement placement = write(1);
    try (BlockReader reader = SHUFFLE.read(client, placement)) {
      read(reader, READ);
      first.dropConnections();
      read(reader, MAPS - READ);
      assertThat(reader.next()).isNull();
    }
    assertThat(first.sentBytes).isLessThan(bytes(MAPS) + 2 * CREDIT);
  }

  private static void read(BlockReader reader, int blocks) throws InterruptedException {
    for (int i = 0; i < blocks; i++) {
      assertThat(reader.next()).isNotNull();
    }
  }

  private static long bytes(int maps) {
    return maps * (long) (BLOCK + BlockHeader.LENGTH);
  }

  private ShufflePlacement write(int replicas) throws InterruptedException {
    ShufflePlacement placement =
        FixedPlacement.of(
            cluster.shuffle,
            1,
            List.of(first.placed(), second.placed()),
            replicas,
            replicas == 1 ? new int[] {0} : new int[] {0, 1});
    SHUFFLE.write(client, placement);
    return placement;
  }
}
