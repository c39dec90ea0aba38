package io.sluice.benchmarks;

import io.sluice.benchmarks.profile.ProfiledRun;
import io.sluice.cli.compare.ShuffleSide;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.report.Units;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Two live sides.
 *
 * @param cluster the one that a Sluice side shuffles through
 * @param serverMemory budget of each of its servers
 * @param description what someone needs to know to run this again
 */
record Sides(
    ShuffleSide candidate,
    ShuffleSide baseline,
    Optional<LocalCluster> cluster,
    DataSize serverMemory,
    String description) {

  /** A line for each server of Sluice: the most memory it had, and its budget. */
  String servers() {
    return cluster.stream()
        .flatMap(c -> c.servers().stream())
        .map(
            server ->
                String.format(
                    Locale.ROOT,
                    "%s: peak RSS %s of a budget of %s%n",
                    server.process().name(),
                    Units.bytes(server.usage().peakResidentBytes()),
                    serverMemory))
        .collect(Collectors.joining());
  }

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
