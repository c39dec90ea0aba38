package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeDriver;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Placements;
import io.sluice.client.placement.Prospect;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A reader with many runs at servers that restart: two of a server are under way, the others wait
 * for their turn there, and the driver says for long that it comes back.
 */
class AwaitedRunsTest {
  private static final int SERVERS = 3;
  private static final int PARTITIONS = 96;
  private static final int MAPS = 2;
  private static final UniformShuffle SHUFFLE = new UniformShuffle(MAPS, PARTITIONS, 4_000);
  private static final long RUN_BYTES = SHUFFLE.partitionBytes();
  private static final long RANGE_BYTES = PARTITIONS * RUN_BYTES;

  /** Of a reader with one server, at once. */
  private static final int STREAMS = 2;

  /** What all streams of two servers can be about. */
  private static final long UNDER_WAY_AT_TWO = 2 * STREAMS * RUN_BYTES;

  private final FakeCluster cluster = new FakeCluster(SERVERS, 1);

  // What one read has brought.
  private final Set<String> seen = new HashSet<>();

  @AfterEach
  void freesEverything() {
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  /** A client, what it writes and reads, and its driver. */
  private final class Job implements AutoCloseable {
    final FakeDriver driver;
    final SluiceClient client;

    Job(int replicas, ClientConfig config) throws InterruptedException {
      driver = cluster.driver(cluster.replicated(PARTITIONS, replicas));
      client = cluster.client(config, Placements.from(driver));
      SHUFFLE.write(client, driver.placement());
    }

    BlockReader read() {
      return SHUFFLE.read(client, driver.placement());
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private static ClientConfig.Builder config() {
    return ClientConfig.builder().suspectAfter(Duration.ofSeconds(5));
  }

  private void take(BlockReader reader, int blocks) throws InterruptedException {
    for (int i = 0; i < blocks; i++) {
      BlockReader.Block block = reader.next();
      assertThat(block).isNotNull();
      see(block);
    }
  }

  private void see(BlockReader.Block block) {
    assertThat(seen.add(block.partition() + "/" + block.mapIndex())).as("%s", block).isTrue();
  }

  private void takeTheRest(BlockReader reader) throws InterruptedException {
    BlockReader.Block block;
    while ((block = reader.next()) != null) {
      see(block);
    }
    assertThat(seen).hasSize(PARTITIONS * MAPS);
  }

  private void stop(Job job, int server) {
    job.driver.prospect = Prospect.RETURNS;
    FakeServer stopping = cluster.servers.get(server);
    stopping.goAway();
    stopping.dropConnections();
    stopping.up = false;
  }

  private void comeBack(int server) {
    FakeServer back = cluster.servers.get(server);
    back.restartIntact();
    back.up = true;
  }

  private void after(int seconds, Runnable what) {
    cluster.loop.schedule(Duration.ofSeconds(seconds).toNanos(), what);
  }

  private double seconds() {
    return cluster.loop.now() / 1e9;
  }

  private long sent() {
    return cluster.servers.stream().mapToLong(server -> server.sentBytes).sum();
  }

  @Test
  void allRunsOfAServerThatRestartsGoOnAtTheOtherReplica() throws InterruptedException {
    try (Job job = new Job(2, config().build());
        BlockReader reader = job.read()) {
      take(reader, 20);
      double start = seconds();
      stop(job, 0);
      takeTheRest(reader);
      assertThat(seconds() - start).as("without waiting for it").isLessThan(1);
      assertThat(sent()).isBetween(RANGE_BYTES, RANGE_BYTES + STREAMS * RUN_BYTES);
    }
  }

  @Test
  void runsThatNobodyElseHasWaitForTheirServersAndForTheirTurn() throws InterruptedException {
    try (Job job = new Job(2, config().build());
        BlockReader reader = job.read()) {
      take(reader, 20);
      double start = seconds();
      stop(job, 0);
      stop(job, 1);
      after(
          300,
          () -> {
            comeBack(0);
            comeBack(1);
            job.driver.prospect = Prospect.UNKNOWN;
          });
      takeTheRest(reader);
      assertThat(seconds() - start).isBetween(300.0, 304.0);
      assertThat(sent())
          .as("broken off, and asked of both when they are back")
          .isBetween(RANGE_BYTES, RANGE_BYTES + 2 * UNDER_WAY_AT_TWO);
      assertThat(cluster.servers).allMatch(server -> server.mostStreams == STREAMS);
    }
  }

  @Test
  void runsOfServersThatAreGivenUpAreMissingAtOnce() throws InterruptedException {
    try (Job job = new Job(2, config().build());
        BlockReader reader = job.read()) {
      take(reader, 20);
      double start = seconds();
      stop(job, 0);
      stop(job, 1);
      after(90, () -> job.driver.prospect = Prospect.LOST);
      assertThatThrownBy(() -> takeTheRest(reader))
          .isInstanceOfSatisfying(
              MissingBlocksException.class,
              missing -> {
                assertThat(missing.maps())
                    .hasSize(MAPS)
                    .allMatch(map -> map.partition() % SERVERS == 0);
                assertThat(missing.complaints())
                    .as("one for each server")
                    .extracting(Complaint::server)
                    .containsExactlyInAnyOrder(
                        cluster.servers.get(0).placed(), cluster.servers.get(1).placed());
              });
      assertThat(seconds() - start).isBetween(90.0, 93.0);
    }
  }

  /** What it was asked for first it takes from the end, and the other one from the beginning. */
  @Test
  void aServerThatIsBackSharesItsRunsWithWhoStandsInForIt() throws InterruptedException {
    try (Job job = new Job(2, config().build())) {
      cluster.faults.maxDelayNanos = Duration.ofSeconds(1).toNanos();
      stop(job, 0);
      after(12, () -> comeBack(0));
      try (BlockReader reader = job.read()) {
        takeTheRest(reader);
      }
      assertThat(cluster.servers.get(0).sentBytes).as("it sends too").isGreaterThan(5 * RUN_BYTES);
      assertThat(sent()).isBetween(RANGE_BYTES, RANGE_BYTES + 2 * UNDER_WAY_AT_TWO);
    }
  }

  @Test
  void aServerThatIsWaitedForDoesNotHoldTheOnlyCredit() throws InterruptedException {
    try (Job job = new Job(3, config().readerCreditBytes(512 * 1024).build());
        BlockReader reader = job.read()) {
      take(reader, 20);
      double start = seconds();
      stop(job, 0);
      after(60, () -> job.driver.prospect = Prospect.LOST);
      cluster.servers.get(1).stored.clear();
      takeTheRest(reader);
      assertThat(seconds() - start).isLessThan(1);
    }
  }
}
