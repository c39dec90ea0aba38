package io.sluice.integration;

import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.integration.fault.JobGate;
import io.sluice.integration.quorum.CoordinatorProcess;
import io.sluice.integration.quorum.QuorumCluster;
import io.sluice.integration.quorum.Until;
import io.sluice.integration.quorum.ZooKeeperProcesses;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ServerState;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A quorum of real processes under one Spark job that lasts for fault after fault: its tasks wait
 * half-way until a test lets them go on. What was broken is whole again before the next fault.
 */
final class QuorumSession implements AutoCloseable {
  static final int MAPS = 40;

  /** Tasks of the running job that go on while nobody leads. */
  private static final int MEANWHILE = 4;

  private static final JobRequest REQUEST =
      new JobRequest("repartition", 400_000, 16, MAPS, false, "", false);
  private static final int SLOTS = 2;

  private final Runs runs;
  private final JobGate gate;
  private final QuorumCluster cluster;
  private final CoordinatorClient operator;
  private final SparkDriver driver;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Fingerprint expected;
  private int passed;

  QuorumSession(OwnShuffle own) throws Exception {
    expected = own.faultJob(REQUEST);
    runs = new Runs("quorum");
    gate = JobGate.open();
    cluster = runs.quorum();
    operator =
        CoordinatorClient.open(
            CoordinatorClientConfig.of(
                cluster.coordinators().stream().map(CoordinatorProcess::address).toList()));
    driver =
        runs.faultDriver(
            runs.through(
                cluster,
                "local[" + SLOTS + "]",
                Map.of("spark.faults.gate.port", Integer.toString(gate.port()))));
  }

  Runs runs() {
    return runs;
  }

  QuorumCluster cluster() {
    return cluster;
  }

  /** What Spark's own shuffle makes of the job. */
  Fingerprint expected() {
    return expected;
  }

  /** Begins the job; its first tasks wait when this returns. */
  Future<Fingerprint> beginJob() throws InterruptedException {
    Future<Fingerprint> job = submitJob();
    gate.await(SLOTS);
    return job;
  }

  /** Begins the job. */
  Future<Fingerprint> submitJob() {
    return threads.submit(() -> driver.run(REQUEST, Runs.DEADLINE).fingerprint());
  }

  /** Lets the job go on to where its first reducers have begun to read. */
  void goOnToReducers() throws InterruptedException {
    gate.letPass(MAPS - passed);
  }

  void goOnToTheEnd() {
    gate.letAllPass();
  }

  /** The cluster as whoever leads sees it; waits until somebody does. */
  GetClusterResponse asLedNow() {
    return operator.getCluster();
  }

  /** Whoever leads, once everything is whole. */
  CoordinatorProcess leader() throws Exception {
    awaitWhole();
    return cluster.coordinator(asLedNow().getLeader());
  }

  // ---------------------------------------------------------------------------------- faults

  /** What goes wrong with a quorum, and how it is put right again. */
  interface Outage {
    void begin() throws Exception;

    void end() throws Exception;
  }

  /**
   * How it went on.
   *
   * @param outage from the fault to when another coordinator could lead: ZooKeeper had a leader,
   *     and the session of the coordinator that led before had ended if that cannot lead any more
   * @param began from then to when an application, started right after the fault, was registered
   *     and its first shuffle placed
   * @param placedNanos when it was, of {@link Until#now}
   * @param term of whoever leads then
   */
  record Recovery(Duration outage, Duration began, long placedNanos, long term) {}

  /**
   * Lets something go wrong. Tasks of the running job go on meanwhile; an application that is
   * started right afterwards writes a shuffle and reads it.
   *
   * @param leaderIsGone whether the coordinator that leads cannot lead again
   */
  Recovery strike(boolean leaderIsGone, Outage fault) throws Exception {
    awaitWhole();
    ZooKeeperProcesses zooKeeper = cluster.zooKeeper();
    Optional<String> candidate =
        leaderIsGone ? cluster.zooKeeper().leadingCandidate() : Optional.empty();
    long struck = Until.now();
    fault.begin();
    Future<Long> newcomer = threads.submit(this::newcomer);
    Future<?> running =
        threads.submit(
            () -> {
              gate.letPass(MEANWHILE);
              return null;
            });
    passed += MEANWHILE;
    long electable = Until.holds("another can lead", () -> zooKeeper.isElectable(candidate));
    long placed = newcomer.get(Runs.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    running.get(Runs.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    long term = asLedNow().getTerm();
    fault.end();
    return new Recovery(
        Duration.ofNanos(electable - struck),
        Duration.ofNanos(Math.max(0, placed - electable)),
        placed,
        term);
  }

  /** A job of no engine, which begins now; gives when its shuffle was placed. */
  private long newcomer() throws Exception {
    try (TestShuffle shuffle = new TestShuffle(cluster.addresses())) {
      ShufflePlacement placement = shuffle.place();
      long placed = Until.now();
      try (MapOutput output = shuffle.output(placement)) {
        TestShuffle.push(output, 0);
        output.finish();
      }
      shuffle.assertHas(placement, 1);
      return placed;
    }
  }

  /** Waits until every process is there and takes part. */
  void awaitWhole() throws Exception {
    Until.holds(
        "the quorum is whole",
        () ->
            cluster.zooKeeper().isWhole()
                && cluster.zooKeeper().candidates() == cluster.coordinators().size());
    Until.holds(
        "all servers are there",
        () ->
            asLedNow().getServersList().stream()
                    .filter(server -> server.getState() == ServerState.ACTIVE)
                    .count()
                == QuorumCluster.SERVERS);
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    operator.close();
    driver.close();
    gate.close();
    cluster.close();
    runs.close();
  }
}
