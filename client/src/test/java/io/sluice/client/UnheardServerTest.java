package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeDriver;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.placement.Placements;
import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A server that takes blocks, and says that coordinators do not hear it: writers leave it if the
 * driver knows of that, and go on at full speed if it does not.
 */
class UnheardServerTest {
  private static final int BLOCK = 30_000;
  private static final int BLOCKS = 40;

  private final FakeCluster cluster = new FakeCluster(2, 1);
  private final FakeServer first = cluster.servers.get(0);
  private final FakeServer second = cluster.servers.get(1);
  private final FakeDriver driver = cluster.driver(cluster.placement(1));
  private final SluiceClient client =
      cluster.client(
          ClientConfig.builder()
              .frameBytes(32 * 1024)
              .maxBlockBytes(64 * 1024)
              .maxInFlightBytes(256 * 1024)
              .build(),
          Placements.from(driver));

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  @Test
  void isLeftWhereTheDriverHasHeardThatItIsAway() throws InterruptedException {
    driver.away.add(first.placed());
    sayUnheardAtBlock(5);
    write();
    assertThat(driver.asked).containsExactly(List.of());
    assertThat(driver.placement().epochs()).isEqualTo(2);
    int stayed = first.blocks(cluster.shuffle, 0).size();
    assertThat(stayed).as("taken before the driver answered").isBetween(5, BLOCKS / 2);
    assertThat(second.blocks(cluster.shuffle, 0)).hasSize(BLOCKS - stayed);
  }

  @Test
  void keepsItsWritersWhereTheDriverKnowsNothingOfIt() throws InterruptedException {
    sayUnheardAtBlock(5);
    write();
    assertThat(driver.asked).as("once").containsExactly(List.of());
    assertThat(driver.placement().epochs()).isEqualTo(1);
    assertThat(first.blocks(cluster.shuffle, 0)).hasSize(BLOCKS);
  }

  /** As if it had said nothing: a task of the same length, with an answer that never comes. */
  @Test
  void holdsNobodyUpWhileTheDriverDoesNotAnswer() throws InterruptedException {
    long undisturbed = write();
    driver.hangs = true;
    sayUnheardAtBlock(BLOCKS + 5);
    assertThat(write()).isLessThan(2 * undisturbed);
    assertThat(driver.asked).hasSize(1);
  }

  private void sayUnheardAtBlock(int which) {
    int[] arrived = {first.blocks(cluster.shuffle, 0).size()};
    first.judge =
        block -> {
          if (++arrived[0] == which) {
            first.sayUnheard();
          }
          return null;
        };
  }

  /** Gives the nanoseconds that it took. */
  private long write() throws InterruptedException {
    long start = cluster.loop.now();
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, start)) {
      for (int block = 1; block <= BLOCKS; block++) {
        ByteBuffer payload = output.beginBlock(0, BLOCK);
        payload.put(new byte[BLOCK]);
        output.endBlock(BLOCK, BLOCK, 1, block == BLOCKS ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    return cluster.loop.now() - start;
  }
}
