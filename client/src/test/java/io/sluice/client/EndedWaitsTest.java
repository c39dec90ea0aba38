package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.placement.Placements;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is thrown out of a wait by an engine's signal, as for a task that was killed. */
class EndedWaitsTest {
  private static final int PARTITIONS = 4;
  private static final UniformShuffle SHUFFLE = new UniformShuffle(3, PARTITIONS, 5_000);

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final FakeCluster cluster = new FakeCluster(2, 1);
  private final ShufflePlacement placement = cluster.placement(PARTITIONS);
  private final SluiceClient client =
      new SluiceClient(
          ClientConfig.defaults(),
          cluster,
          Placements.fixed(),
          cluster.allocator,
          this::signal,
          cluster.loop.clock());

  private boolean killed;

  private TaskSignal signal() {
    TaskSignal signal = cluster.loop.newSignal();
    return new TaskSignal() {
      @Override
      public void await() throws InterruptedException {
        if (killed) {
          throw new Killed();
        }
        signal.await();
      }

      @Override
      public void signal() {
        signal.signal();
      }
    };
  }

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  @Test
  void aReaderLetsGoOfWhatIsUnderWay() throws InterruptedException {
    SHUFFLE.write(client, placement);
    try (BlockReader reader = SHUFFLE.read(client, placement)) {
      killed = true;
      assertThatThrownBy(reader::next).isInstanceOf(Killed.class);
    }
    cluster.loop.runFor(1_000_000_000);
  }

  @Test
  void aMapOutputLetsGoOfWhatIsUnderWay() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 100)) {
      SHUFFLE.push(output, 0, 0);
      SHUFFLE.push(output, 1, 0);
      killed = true;
      assertThatThrownBy(output::finish).isInstanceOf(Killed.class);
    }
    cluster.loop.runFor(1_000_000_000);
  }
}
