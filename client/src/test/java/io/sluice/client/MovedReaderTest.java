package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.placement.Placements;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readers of what went to several servers. */
class MovedReaderTest extends MoveFixture {
  @Test
  void aReaderAsksForAPlacementAsNewAsItsWinners() throws InterruptedException {
    first.up = false;
    write(0);
    first.up = true;
    try (SluiceClient other = cluster.client(ClientConfig.defaults(), Placements.from(driver))) {
      int before = driver.asked.size();
      for (int i = 0; i < 3; i++) {
        assertThat(count(other.read(placement, 0, PARTITIONS, 0, 1, expected(1, 0, 1))))
            .isEqualTo(PARTITIONS);
      }
      assertThat(driver.asked.subList(before, driver.asked.size()))
          .as("once, and about nothing")
          .containsExactly(List.of());
    }
  }

  @Test
  void aReaderOfAShuffleThatIsGoneReportsEverythingMissing() {
    driver.gone = true;
    cluster.servers.forEach(server -> server.remove(cluster.shuffle));
    try (BlockReader reader = client.read(placement, 0, PARTITIONS, 0, 2, expected(2, 0, 1))) {
      assertThatThrownBy(reader::next)
          .isInstanceOfSatisfying(
              MissingBlocksException.class, missing -> assertThat(missing.maps()).hasSize(2));
    }
  }

  @Test
  void aReaderDoesNotAskServersThatWinnersNeverUsed() throws InterruptedException {
    first.up = false;
    write(0);
    write(1);
    int connects = first.connects;
    try (BlockReader reader = client.read(placement, 0, PARTITIONS, 1, 2, expected(2, 1, 1))) {
      assertThat(count(reader)).isEqualTo(PARTITIONS);
    }
    assertThat(first.connects).isEqualTo(connects);
  }
}
