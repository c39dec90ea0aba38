package io.sluice.benchmarks;

import io.sluice.benchmarks.profile.ProfiledRun;
import io.sluice.cli.compare.ShuffleSide;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Two live sides.
 *
 * @param cluster the one that a Sluice side shuffles through
 * @param description what someone needs to know to run this again
 */
record Sides(
    ShuffleSide candidate,
    ShuffleSide baseline,
    Optional<LocalCluster> cluster,
    String description) {

  /** Has both run a job under the profiler, servers with the candidate. */
  void profile(ProfiledRun profiled, JobRequest request)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Map<String, Long> servers = new LinkedHashMap<>();
    cluster.ifPresent(
        c -> c.servers().forEach(s -> servers.put(s.process().name(), s.process().pid())));
    profiled.run(candidate, servers, request);
    profiled.run(baseline, Map.of(), request);
  }
}
