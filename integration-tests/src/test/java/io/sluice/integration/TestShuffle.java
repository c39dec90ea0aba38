package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.ClientConfig;
import io.sluice.client.MapOutput;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.SluiceClient;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.client.control.ServerWatch;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Placements;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A driver and an executor of no engine: shuffles of one map, written and read by hand. */
final class TestShuffle implements AutoCloseable {
  static final int PARTITIONS = 16;
  private static final int BLOCK_BYTES = 10_000;
  private static final long ATTEMPT = 7;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final CoordinatorClient coordinator;
  private final RegisteredApplication application;
  private final ServerWatch watch;
  private final ServerEvents events = new ServerEvents();
  private final Placements placements;
  private SluiceClient client;
  private int shuffles;

  /**
   * One whose placements stay.
   *
   * @param coordinators host:port,host:port
   */
  TestShuffle(String coordinators) {
    this(coordinators, false);
  }

  /**
   * @param coordinators host:port,host:port
   * @param asks whether the executor asks the driver about servers that it cannot reach
   */
  TestShuffle(String coordinators, boolean asks) {
    placements = asks ? Placements.from(new Driver()) : Placements.fixed();
    client = SluiceClient.open(ClientConfig.defaults(), placements);
    coordinator =
        CoordinatorClient.open(
            CoordinatorClientConfig.of(
                Arrays.stream(coordinators.split(",")).map(HostPort::parse).toList()));
    application =
        coordinator.registerApplication(
            new Registration(new ApplicationId(UUID.randomUUID()), "by-hand", "test", "none", "0"));
    watch = application.watchServers(events);
  }

  /** Makes no epochs, but says what it hears of servers. */
  private final class Driver implements PlacementSource {
    @Override
    public CompletionStage<ShufflePlacement> atLeast(
        ShuffleKey shuffle, int epochs, List<Complaint> complaints) {
      return CompletableFuture.failedFuture(
          new SluiceException(ErrorCode.NO_SERVERS, "no other servers, says the test"));
    }

    @Override
    public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
      return CompletableFuture.completedFuture(events.whereabouts(server));
    }
  }

  /** Goes on as an executor that has no connection yet. */
  void reconnect() {
    client.close();
    client = SluiceClient.open(ClientConfig.defaults(), placements);
  }

  ApplicationId application() {
    return application.id();
  }

  /** What happens to servers, from the start on. */
  ServerEvents events() {
    return events;
  }

  void remove(ShufflePlacement placement) {
    application.removeShuffle(placement.shuffle());
  }

  ShufflePlacement place() {
    return application.createShuffle(
        new ShuffleKey(application.id(), shuffles++, 0), PARTITIONS, 0, List.of());
  }

  /**
   * Places shuffles until that is admitted, or refused, whichever is waited for; what servers hold
   * is told with their reports. Returns the last refusal, or null.
   */
  @Nullable SluiceException awaitPlacement(boolean admitted) {
    long deadline = Clock.system().nanoTime() + PATIENCE.toNanos();
    while (true) {
      SluiceException refusal = null;
      try {
        place();
      } catch (SluiceException e) {
        refusal = e;
      }
      if ((refusal == null) == admitted || Clock.system().nanoTime() - deadline > 0) {
        return refusal;
      }
    }
  }

  MapOutput output(ShufflePlacement placement) {
    return client.openMapOutput(placement, 0, ATTEMPT);
  }

  /** A block for every partition; sent, but not waited for. */
  static void push(MapOutput output, int number) throws InterruptedException {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      ByteBuffer payload = output.beginBlock(partition, BLOCK_BYTES);
      for (int i = 0; i < BLOCK_BYTES; i += Integer.BYTES) {
        payload.putInt(partition * 31 + number);
      }
      output.endBlock(BLOCK_BYTES, BLOCK_BYTES, 1, 0);
    }
    output.flush();
  }

  /** Reads everything; so many blocks of each partition must be there, whole, besides the last. */
  void assertHas(ShufflePlacement placement, int blocks) throws InterruptedException {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, PARTITIONS);
    int map = expected.add(0, ATTEMPT);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      expected.nonEmpty(map, partition);
    }
    long sum = 0;
    int count = 0;
    try (BlockReader reader =
        client.read(placement, 0, PARTITIONS, 0, Integer.MAX_VALUE, expected.build())) {
      BlockReader.Block block;
      while ((block = reader.next()) != null) {
        if (block.payload().remaining() > 0) {
          count++;
          sum += block.payload().getInt(block.payload().position());
        }
      }
    }
    long written = 0;
    for (int number = 0; number < blocks; number++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        written += partition * 31 + number;
      }
    }
    assertThat(count).isEqualTo(blocks * PARTITIONS);
    assertThat(sum).isEqualTo(written);
  }

  @Override
  public void close() {
    client.close();
    watch.close();
    application.close();
    coordinator.close();
  }
}
