package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.common.config.DataSize;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Shuffles of 100,000 partitions of 24 rows, through real processes and without AQE too: exact
 * rows, whether a task reads one partition or thousands.
 */
@EnabledIfSystemProperty(named = "sluice.scale", matches = "true")
@ExtendWith(OwnShuffle.Extension.class)
class ManyReducersIT {
  /**
   * Two such shuffles are 52 MB of tables on each of two servers, and an application has 93 MiB
   * there: three quarters of a half of the heap, which is an eighth of this.
   */
  private static final DataSize BUDGET = DataSize.parse("2g");

  private static final int PARTITIONS = 100_000;
  private static final int ROWS = 2_400_000;
  private static final int MAPS = 8;

  private static final JobRequest SOME =
      new JobRequest("some reducers", ROWS, PARTITIONS, MAPS, false, "", false);
  private static final JobRequest RANGES =
      new JobRequest("ranges of reducers", ROWS, PARTITIONS, MAPS, false, "", false);

  /** The rows of {@link #RANGES}, whose fingerprint does not depend on partitions. */
  private static final JobRequest FEWER_PARTITIONS =
      new JobRequest("repartition", ROWS, 8, 8, false, "", false);

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("reducers");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void findTheirRowsOneByOneAndInRanges(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(2, BUDGET.toString());
    try (SparkDriver driver = runs.faultDriver(runs.through(cluster, Runs.LOCAL, Map.of()))) {
      JobResult some = driver.run(SOME, Runs.DEADLINE);
      JobResult ranges = driver.run(RANGES, Runs.DEADLINE);

      assertThat(ranges.fingerprint().rows()).isEqualTo(ROWS);
      assertThat(ranges.fingerprint()).isEqualTo(own.faultJob(FEWER_PARTITIONS));
      assertThat(some.fingerprint().rows()).isPositive();
      assertThat(some.fingerprint()).isEqualTo(own.faultJob(SOME));
    }
    assertThat(cluster.servers().stream().map(LocalServer::usage))
        .allSatisfy(
            server ->
                assertThat(server.peakResidentBytes())
                    .as("peak resident memory")
                    .isPositive()
                    .isLessThanOrEqualTo(BUDGET.toBytes() * 11 / 10));
  }
}
