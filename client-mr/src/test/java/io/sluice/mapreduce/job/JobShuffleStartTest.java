package io.sluice.mapreduce.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.ClientConfig;
import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.SluiceClient;
import io.sluice.client.connection.Connector;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.transport.ClientSession;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A task that cannot be opened wholly leaves nothing open. */
class JobShuffleStartTest {
  /** It has no number of milliseconds, and so no quarter after which to renew. */
  private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);

  private final ExecutorService background = Executors.newSingleThreadExecutor();
  private final ThreadScheduler timer =
      new ThreadScheduler("test-lease", Clock.system(), (thread, failure) -> {});
  private final Closing coordinators = new Closing();
  private final Path directory;
  private boolean clientClosed;

  JobShuffleStartTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private JobShuffle start(Duration lease, Function<Placements, SluiceClient> connect)
      throws Exception {
    ShuffleSpec spec = new ShuffleSpec(new ShuffleKey(ApplicationId.of(1, 2), 0, 0), 1, 1, lease);
    PlacementLog log =
        StagedPlacementLog.in(
            new org.apache.hadoop.fs.Path(directory.toUri()), new Configuration());
    SharedPlacements shared =
        new SharedPlacements(spec, log, coordinators, background, Clock.system());
    return JobShuffle.start(new JobShuffle.Basis(coordinators, background, shared), connect, timer);
  }

  private SluiceClient client(Placements placements) {
    return new SluiceClient(
        ClientConfig.defaults(),
        new Connector() {
          @Override
          public Scheduler loop() {
            throw new AssertionError();
          }

          @Override
          public void connect(Scheduler loop, PlacedServer server, ClientSession session) {
            throw new AssertionError();
          }

          @Override
          public void close() {
            clientClosed = true;
          }
        },
        placements,
        UnpooledByteBufAllocator.DEFAULT,
        () -> {
          throw new AssertionError();
        },
        Clock.system());
  }

  @Test
  void whatFollowsAClientAndFailsClosesTheClient() {
    assertThatThrownBy(() -> start(ENDLESS, this::client)).isInstanceOf(ArithmeticException.class);
    assertThat(clientClosed).isTrue();
    assertThat(coordinators.closed).isTrue();
    assertThat(background.isShutdown()).isTrue();
  }

  @Test
  void whatIsOpenIsClosedByWhoOpenedIt() throws Exception {
    JobShuffle shuffle = start(Duration.ofHours(1), this::client);
    assertThat(clientClosed).isFalse();
    assertThat(coordinators.closed).isFalse();

    shuffle.close();
    assertThat(clientClosed).isTrue();
    assertThat(coordinators.closed).isTrue();
    assertThat(background.isShutdown()).isTrue();
    assertThat(timer.awaitEnd(TimeUnit.SECONDS.toNanos(20))).isTrue();
  }

  @Test
  void aClientThatCannotBeOpenedClosesTheRest() {
    assertThatThrownBy(
            () ->
                start(
                    Duration.ofHours(1),
                    placements -> {
                      throw new IllegalStateException("no threads");
                    }))
        .hasMessage("no threads");
    assertThat(coordinators.closed).isTrue();
    assertThat(background.isShutdown()).isTrue();
  }

  /** That remembers its end, and is asked nothing. */
  private static final class Closing implements Coordinators {
    private boolean closed;

    @Override
    public void renew() {
      throw new AssertionError();
    }

    @Override
    public FixedPlacement place(ShuffleKey shuffle, int partitions, int replicas) {
      throw new AssertionError();
    }

    @Override
    public ServerBook servers() {
      throw new AssertionError();
    }

    @Override
    public ServerFate fate(PlacedServer server) {
      throw new AssertionError();
    }

    @Override
    public void end() {
      throw new AssertionError();
    }

    @Override
    public Optional<SluiceException> endedBecause() {
      return Optional.empty();
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
