package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.hadoop.HadoopJob;
import io.sluice.benchmarks.hadoop.HadoopProcess;
import io.sluice.benchmarks.hadoop.HadoopResult;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.common.time.Clock;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * MapReduce jobs of which one server is killed, with SIGKILL, at a chosen moment. It is started
 * again when the job has ended.
 */
final class ServerKills {
  /** Reducers ask coordinators soon, and maps run again for no other reason than a loss. */
  private static final Map<String, String> STRUCK =
      Map.of(
          "mapreduce.sluice.reconnect-deadline", "4s",
          "mapreduce.map.speculative", "false",
          "mapreduce.reduce.speculative", "false");

  /**
   * Reducers begin when maps are over, and fetch slowly: by the MB, with merges to disk between.
   */
  private static final Map<String, String> FETCHED_SLOWLY =
      Map.of(
          "mapreduce.job.reduce.slowstart.completedmaps", "1",
          "mapreduce.sluice.read.in-flight", "1m",
          "mapreduce.reduce.memory.totalbytes", "8000000");

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final LocalCluster cluster;
  private final HadoopProcess yarn;
  private final Duration deadline;

  /**
   * @param yarn runs nothing else
   * @param deadline for each step
   */
  ServerKills(LocalCluster cluster, HadoopProcess yarn, Duration deadline) {
    this.cluster = cluster;
    this.yarn = yarn;
    this.deadline = deadline;
  }

  /** Kills a server that holds blocks of maps that have ended, while others still run. */
  HadoopResult whileMapsRun(HadoopJob job) throws Exception {
    List<Double> before = sums("sluice_server_pushed_bytes_total");
    HadoopProcess.Begun begun = yarn.begin(job.with(STRUCK).tellingAt(0.5));
    yarn.awaitProgress(begun, deadline);
    return kill(grown("sluice_server_pushed_bytes_total", before), begun);
  }

  /** Kills a server that has sent something to reducers and has more for them; maps have ended. */
  HadoopResult whileReducersFetch(HadoopJob job) throws Exception {
    List<Double> before = sums("sluice_server_fetched_bytes_total");
    HadoopProcess.Begun begun = yarn.begin(job.with(STRUCK).with(FETCHED_SLOWLY).tellingAt(1));
    yarn.awaitProgress(begun, deadline);
    return kill(grown("sluice_server_fetched_bytes_total", before), begun);
  }

  private HadoopResult kill(int victim, HadoopProcess.Begun job) throws Exception {
    ProcessHandle.of(cluster.servers().get(victim).process().pid()).orElseThrow().destroyForcibly();
    HadoopResult result = yarn.await(job, deadline);
    cluster.restart(victim + 1);
    return result;
  }

  /** The first server of which a counter has grown, once there is one. */
  private int grown(String counter, List<Double> before) throws Exception {
    Clock clock = Clock.system();
    long end = clock.nanoTime() + deadline.toNanos();
    while (true) {
      List<Double> now = sums(counter);
      for (int server = 0; server < now.size(); server++) {
        if (now.get(server) > before.get(server)) {
          return server;
        }
      }
      assertThat(clock.nanoTime()).as("growth of " + counter).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  /** A counter of each server, of its present life. */
  private List<Double> sums(String counter) throws Exception {
    List<Double> sums = new ArrayList<>();
    for (LocalServer server : cluster.servers()) {
      sums.add(server.metrics(HTTP).sum(counter));
    }
    return sums;
  }
}
