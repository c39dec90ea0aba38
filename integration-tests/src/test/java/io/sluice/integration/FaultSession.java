package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.common.config.HostPort;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.Firewall;
import io.sluice.integration.fault.JobWatch;
import io.sluice.integration.fault.JobWatch.StageAttempt;
import io.sluice.integration.fault.JobWatch.Strike;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One cluster and one driver with two executors, for job after job that something happens to. What
 * was broken is whole again before the next.
 */
final class FaultSession implements AutoCloseable {
  /** Two executors of one core each. */
  static final int TASKS_AT_A_TIME = 2;

  static final int MAPS = 20;

  /** Longer than the silence after which clients and coordinator suspect a server. */
  static final Duration PAUSE = Duration.ofSeconds(10);

  /** Struck while maps push, or while the tasks of the next stage read what they pushed. */
  enum Phase {
    MAP(7),
    REDUCE(MAPS + 7);

    final int afterMaps;

    Phase(int afterMaps) {
      this.afterMaps = afterMaps;
    }
  }

  /** What happens to somebody who holds no blocks. */
  enum Bystander {
    COORDINATOR_KILLED,
    COORDINATOR_FROZEN,
    COORDINATOR_RESET,
    COORDINATOR_SILENT,
    EXECUTOR_KILLED,
    EXECUTOR_FROZEN
  }

  private static final JobRequest REQUEST =
      new JobRequest("repartition", 800_000, 40, MAPS, false, "", false);
  private static final int SERVERS = 4;

  private final Runs runs;
  private final Fingerprint expected;
  private final JobWatch watch;
  private final LocalCluster cluster;
  private final SparkDriver driver;

  FaultSession(OwnShuffle own, Map<String, String> coordinator, Map<String, String> spark)
      throws Exception {
    expected = own.faultJob(REQUEST);
    runs = new Runs("faults");
    watch = JobWatch.open();
    cluster = runs.coordinated(SERVERS, "384m", coordinator);
    Map<String, String> properties = new HashMap<>(spark);
    properties.put("spark.sluice.write.buffer", "1m");
    properties.put("spark.faults.news.port", Integer.toString(watch.port()));
    String master = "local-cluster[" + TASKS_AT_A_TIME + ",1,1024]";
    driver = runs.faultDriver(runs.through(cluster, master, properties));
  }

  Runs runs() {
    return runs;
  }

  /** Runs a job that this happens to; its rows are exact. Gives the attempts of its stages. */
  List<StageAttempt> run(Strike... strikes) throws Exception {
    watch.expect(List.of(strikes));
    assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
    return watch.end();
  }

  /** Attempts of stages beyond the first. */
  static List<StageAttempt> again(List<StageAttempt> attempts) {
    return attempts.stream().filter(attempt -> attempt.number() > 0).toList();
  }

  /** How many map tasks of the large shuffle were run once more. */
  static int mapsRunAgain(List<StageAttempt> attempts) {
    // A job that finds the shuffle written has another stage for it, which begins with attempt 1.
    Set<Integer> others =
        attempts.stream()
            .filter(attempt -> attempt.number() == 0 && attempt.tasks() != MAPS)
            .map(StageAttempt::stage)
            .collect(Collectors.toSet());
    return again(attempts).stream()
        .filter(attempt -> !others.contains(attempt.stage()))
        .mapToInt(StageAttempt::tasks)
        .sum();
  }

  /** SIGKILL of a server, counted from 1; it comes back afterwards, with its disk. */
  Fault deathOf(int server) {
    return Fault.killing(pid(server), () -> cluster.restart(server));
  }

  Fault pauseOf(int server) {
    return Fault.freezing(pid(server));
  }

  /** Strikes while maps push; for a time, unless it is a death. */
  Strike strike(Bystander bystander) throws InterruptedException {
    Duration lasts =
        switch (bystander) {
          case COORDINATOR_KILLED -> Duration.ofSeconds(1);
          case EXECUTOR_KILLED -> null;
          case COORDINATOR_FROZEN, COORDINATOR_RESET, COORDINATOR_SILENT, EXECUTOR_FROZEN -> PAUSE;
        };
    return new Strike(Phase.MAP.afterMaps, lasts, fault(bystander));
  }

  private Fault fault(Bystander bystander) throws InterruptedException {
    return switch (bystander) {
      case COORDINATOR_KILLED ->
          Fault.killing(cluster.coordinator().pid(), cluster::restartCoordinator);
      case COORDINATOR_FROZEN -> Fault.freezing(cluster.coordinator().pid());
      case COORDINATOR_RESET -> usable(Firewall.resetting(controlPort()));
      case COORDINATOR_SILENT -> usable(Firewall.dropping(controlPort()));
      // Spark starts another by itself.
      case EXECUTOR_KILLED -> Fault.killing(executor(), () -> {});
      case EXECUTOR_FROZEN -> Fault.freezing(executor());
    };
  }

  private static Fault usable(Firewall rules) throws InterruptedException {
    assumeTrue(Firewall.usable(), "iptables cannot be used here");
    return rules;
  }

  /** One of the executors. */
  private long executor() {
    return ProcessHandle.of(driver.pid())
        .orElseThrow()
        .descendants()
        .filter(
            process ->
                process.info().commandLine().orElse("").contains("CoarseGrainedExecutorBackend"))
        .findFirst()
        .orElseThrow()
        .pid();
  }

  private int controlPort() {
    return HostPort.parse(cluster.coordinatorAddress()).port();
  }

  int dataPort(int server) {
    return HostPort.parse(server(server).announcement().address()).port();
  }

  private long pid(int server) {
    return server(server).process().pid();
  }

  private LocalServer server(int server) {
    return cluster.servers().get(server - 1);
  }

  @Override
  public void close() throws IOException {
    driver.close();
    watch.close();
    runs.close();
  }
}
