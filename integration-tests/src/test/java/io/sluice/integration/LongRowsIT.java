package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkSettings;
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
 * Rows larger than any buffer, and than the memory of the servers together. {@code
 * -Dsluice.row.bytes} makes them of another size, and {@code -Dsluice.row.heap} gives the driver
 * another heap.
 */
@EnabledIfSystemProperty(named = "sluice.scale", matches = "true")
@ExtendWith(OwnShuffle.Extension.class)
class LongRowsIT {
  private static final int ROW_BYTES = Integer.getInteger("sluice.row.bytes", 300_000_000);
  private static final String HEAP = System.getProperty("sluice.row.heap", "3g");
  private static final JobRequest REQUEST = new JobRequest("rows", 2, 2, 2, false, "", false);

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("rows");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void arriveAsWithSparksOwnShuffle() throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    Map<String, String> rows =
        Map.of("spark.faults.row.bytes", Integer.toString(ROW_BYTES), "spark.driver.memory", HEAP);
    LocalCluster cluster = runs.cluster(2, "256m");
    SparkSettings through = runs.through(cluster, "local[1,1]", rows);

    JobResult result = runs.faultJob(through, REQUEST);

    assertThat(result.fingerprint().rows()).isEqualTo(REQUEST.rows());
    assertThat(cluster.usage().pushedBytes()).isGreaterThan(2L * ROW_BYTES);
    SparkSettings own = runs.own("local[1,1]").with(rows);
    assertThat(result.fingerprint()).isEqualTo(runs.faultJob(own, REQUEST).fingerprint());
  }
}
