package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Executors read of some maps what adaptive execution tells them to, from real servers. */
@ParameterizedClass
@MethodSource("io.sluice.integration.Runs#lines")
@ExtendWith(OwnShuffle.Extension.class)
class AdaptiveJoinsIT {
  private static final int ROWS = 200_000;

  /** Of four columns that do not compress, most of which have eight bytes. */
  private static final long BYTES_MIN = 24L * ROWS;

  private static @Nullable Runs shared;
  private static @Nullable LocalCluster cluster;
  private static @Nullable SparkDriver driver;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  /** For JUnit, which gives it to {@code start} as well. */
  @Parameter @Nullable TestedSpark line;

  @BeforeParameterizedClassInvocation
  static void start(TestedSpark line) throws Exception {
    Runs runs = new Runs("adaptive", line);
    shared = runs;
    cluster = runs.cluster(2, "256m");
    driver = runs.faultDriver(runs.through(cluster, "local-cluster[2,1,1024]", Map.of()));
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void aSkewedPartitionIsReadByRangesOfMaps(OwnShuffle own) throws Exception {
    assertExact(own, "skewed join");

    assertThat(Objects.requireNonNull(shared).lastLog())
        .contains("skewed join ran as AdaptiveSparkPlan isFinalPlan=true")
        .contains("SortMergeJoin(skew=true)")
        .containsPattern("AQEShuffleRead (coalesced and )?skewed");
  }

  @Test
  void theSideThatIsNotBroadcastIsReadMapByMap(OwnShuffle own) throws Exception {
    assertExact(own, "local join");

    assertThat(Objects.requireNonNull(shared).lastLog())
        .contains("local join ran as AdaptiveSparkPlan isFinalPlan=true")
        .contains("BroadcastHashJoin", "AQEShuffleRead local");
  }

  /** All rows of the larger side went to servers and came from there. */
  private static void assertExact(OwnShuffle own, String workload) throws Exception {
    JobRequest request = new JobRequest(workload, ROWS, 12, 8, false, "", false);
    LocalCluster servers = Objects.requireNonNull(cluster);
    ServiceUsage before = servers.usage();
    assertThat(Objects.requireNonNull(driver).run(request, Runs.DEADLINE).fingerprint())
        .isEqualTo(own.faultJob(request));
    ServiceUsage after = servers.usage();
    assertThat(after.pushedBytes() - before.pushedBytes()).isGreaterThan(BYTES_MIN);
    assertThat(after.fetchedBytes() - before.fetchedBytes()).isGreaterThan(BYTES_MIN);
  }
}
