package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.common.config.DataSize;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A sort larger than the memory of its servers: what they take and write for it. */
@ExtendWith(OwnShuffle.Extension.class)
class SpilledSortIT {
  private static final DataSize BUDGET = DataSize.parse("256m");

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("spilled");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void serversStayWithinTheirBudgetAndWriteEachByteOnce(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(2, "256m");
    // RocksDB's native library, unpacked at the start, is nothing of the job's.
    long writtenBefore = written(cluster);

    JobResult through = run(runs, runs.through(cluster, Runs.LOCAL, Map.of()));

    ServiceUsage usage = cluster.usage();
    assertThat(usage.spilledBytes()).isGreaterThan(BUDGET.toBytes());
    List<ProcessUsage> servers = cluster.servers().stream().map(LocalServer::usage).toList();
    assertThat(servers)
        .allSatisfy(
            server ->
                assertThat(server.peakResidentBytes())
                    .as("peak resident memory")
                    .isPositive()
                    .isLessThanOrEqualTo(BUDGET.toBytes() * 11 / 10));
    assertThat((double) (written(cluster) - writtenBefore) / usage.spilledBytes())
        .as("bytes to storage per spilled byte, padding and catalog included")
        .isBetween(1.0, 1.05);
    assertThat(through.fingerprint()).isEqualTo(own.benchmark(Runs.LARGE_SORT));
  }

  private static long written(LocalCluster cluster) {
    return cluster.servers().stream().mapToLong(server -> server.usage().writtenBytes()).sum();
  }

  private static JobResult run(Runs runs, SparkSettings settings) throws Exception {
    try (SparkDriver driver = runs.benchmarkDriver(settings)) {
      return driver.run(Runs.LARGE_SORT, Runs.DEADLINE);
    }
  }
}
