package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.common.config.HostPort;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.JobWatch;
import io.sluice.integration.fault.JobWatch.StageAttempt;
import io.sluice.integration.fault.JobWatch.Strike;
import java.io.IOException;
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
  static final int MAPS = 20;

  /** Struck while maps push, or while the tasks of the next stage read what they pushed. */
  enum Phase {
    MAP(7),
    REDUCE(MAPS + 7);

    final int afterMaps;

    Phase(int afterMaps) {
      this.afterMaps = afterMaps;
    }
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
    driver = runs.faultDriver(runs.through(cluster, "local-cluster[2,1,1024]", properties));
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

  Fault deathOfTheCoordinator() {
    return Fault.killing(cluster.coordinator().pid(), cluster::restartCoordinator);
  }

  /** SIGKILL of one of the executors. Spark starts another by itself. */
  Fault deathOfAnExecutor() {
    ProcessHandle executor =
        ProcessHandle.of(driver.pid())
            .orElseThrow()
            .descendants()
            .filter(
                process ->
                    process
                        .info()
                        .commandLine()
                        .orElse("")
                        .contains("CoarseGrainedExecutorBackend"))
            .findFirst()
            .orElseThrow();
    return Fault.killing(executor.pid(), () -> {});
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
