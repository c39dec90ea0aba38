package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.local.MetricsPage;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A sort that fits neither the memory of its server nor its disk: the rest falls to HDFS. */
@ExtendWith(OwnShuffle.Extension.class)
class TieredSortIT {
  private static final DataSize BUDGET = DataSize.parse("384m");

  /** Of the disk; 64 MiB of it and a unit stay free, as the server reserves them. */
  private static final DataSize DISK = DataSize.parse("192m");

  private static final DataSize DISK_USABLE = DataSize.parse("128m");

  private static @Nullable Runs shared;
  private static @Nullable Path disk;
  private static boolean mounted;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    Runs runs = new Runs("tiered");
    shared = runs;
    // Not in the run's directory, which is deleted before it can be unmounted.
    Path path = Files.createTempDirectory("sluice-small-disk");
    disk = path;
    Assumptions.assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + DISK.toBytes(), "sluice-test", path.toString()),
        "mounting a tmpfs is not permitted here");
    mounted = true;
  }

  @AfterAll
  static void stop() throws IOException {
    if (shared != null) {
      shared.close();
    }
    if (mounted) {
      // Lazy: whoever was killed a moment ago may hold it still.
      assertThat(run("umount", "--lazy", String.valueOf(disk))).as("unmounted").isTrue();
    }
    if (disk != null) {
      Files.delete(disk);
    }
  }

  private static boolean run(String... command) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException noSuchCommand) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatMemoryAndDiskCannotHoldGoesToHdfsAndTheResultIsExact(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster =
        runs.clusterOn(runs.hdfs(), BUDGET.toString(), Map.of("server.data-dirs", "ssd:" + disk));

    JobResult through = run(runs, runs.through(cluster, Runs.LOCAL, Map.of()));

    LocalServer server = cluster.servers().get(0);
    MetricsPage metrics = server.metrics(HttpClient.newHttpClient());
    double toDisk = written(metrics, "disk=\"" + disk);
    double toHdfs = written(metrics, "disk=\"hdfs://");
    assertThat(toDisk)
        .as("bytes to the disk, which comes first")
        .isBetween(DISK_USABLE.toBytes() / 2.0, (double) DISK.toBytes());
    assertThat(toHdfs).as("bytes to HDFS").isGreaterThan((double) DISK_USABLE.toBytes());
    assertThat(toDisk + toHdfs)
        .as("bytes in both tiers")
        .isEqualTo(metrics.sum("sluice_server_flushed_bytes_total"));
    assertThat(metrics.sum("sluice_server_disk_read_bytes_total", "disk=\"hdfs://"))
        .as("bytes read from HDFS")
        .isGreaterThanOrEqualTo(toHdfs);
    assertThat(metrics.sum("sluice_server_disk_fences_total")).as("fences").isZero();
    assertThat(server.usage().peakResidentBytes())
        .as("peak resident memory")
        .isPositive()
        .isLessThanOrEqualTo(BUDGET.toBytes() * 11 / 10);
    assertThat(through.fingerprint()).isEqualTo(own.benchmark(Runs.LARGE_SORT));
  }

  private static double written(MetricsPage metrics, String disk) {
    return metrics.sum("sluice_server_disk_payload_written_bytes_total", disk);
  }

  private static JobResult run(Runs runs, SparkSettings settings) throws Exception {
    try (SparkDriver driver = runs.benchmarkDriver(settings)) {
      return driver.run(Runs.LARGE_SORT, Runs.DEADLINE);
    }
  }
}
