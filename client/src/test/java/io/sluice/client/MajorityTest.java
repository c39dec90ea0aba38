package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A set of three that acknowledges what two of them hold: what a writer may still rely on. */
class MajorityTest {
  private final FakeCluster cluster = new FakeCluster(3, 1);
  private final SluiceClient client =
      cluster.client(
          ClientConfig.builder()
              .frameBytes(32 * 1024)
              .maxBlockBytes(64 * 1024)
              .maxInFlightBytes(256 * 1024)
              .reconnectDeadline(Duration.ofSeconds(20))
              .build(),
          Placements.from(cluster.driver(cluster.replicated(1, 3))));
  private final MapOutput output = client.openMapOutput(cluster.replicated(1, 3), 0, 1);

  @AfterEach
  void freesEverything() {
    output.close();
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  private void write(boolean majorityEnough) throws InterruptedException {
    cluster.servers.forEach(server -> server.majorityEnough = majorityEnough);
    output.beginBlock(0, 20).put(new byte[20]);
    output.endBlock(20, 20, 1, 0);
    output.flush();
    cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
    assertThat(output.majorityEnough()).isEqualTo(majorityEnough);
  }

  private void lose(int... servers) {
    for (int server : servers) {
      cluster.servers.get(server).restart(false);
    }
  }

  private void assertLost() {
    assertThatThrownBy(output::finish)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA_LOST));
  }

  @Test
  void aMemberThatNeedNotHaveTheBlocksProvesNothing() throws InterruptedException {
    write(true);
    lose(0, 1);
    assertLost();
  }

  @Test
  void bothOthersTogetherHaveEverything() throws InterruptedException {
    write(true);
    lose(0);
    assertThatCode(output::finish).doesNotThrowAnyException();
  }

  @Test
  void theFirstHasEverything() throws InterruptedException {
    write(true);
    lose(1, 2);
    assertThatCode(output::finish).doesNotThrowAnyException();
  }

  @Test
  void anyMemberHasEverythingWhereAllHadTo() throws InterruptedException {
    write(false);
    lose(0, 1);
    assertThatCode(output::finish).doesNotThrowAnyException();
  }

  /** What was acknowledged by a life that is gone counts, not what the next one does. */
  @Test
  void theRuleIsThatOfTheLifeWhichAcknowledged() throws InterruptedException {
    write(true);
    cluster.servers.get(0).majorityEnough = false;
    lose(0, 1);
    assertLost();
  }
}
