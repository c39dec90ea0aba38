package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkSettings;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A byte that changes in a segment file is caught by the reader, named, and recomputed around. */
@ExtendWith(OwnShuffle.Extension.class)
class CorruptionIT {
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 6_000_000, 16, 8, false, "", false);

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("corruption");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void aFlippedByteInASegmentIsNamedAndRecomputed(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(1, "256m");
    SparkSettings settings =
        runs.through(
            cluster,
            Runs.LOCAL,
            Map.of(
                "spark.faults.flip.directory", runs.path().toString(),
                "spark.faults.flip.afterTasks", Integer.toString(REQUEST.maps())));

    assertThat(runs.faultJob(settings, REQUEST).fingerprint()).isEqualTo(own.faultJob(REQUEST));
    assertThat(runs.log(1))
        .contains("flipped a byte of a segment")
        .containsPattern("CORRUPT_BLOCK.*shuffle.*partition \\d+.*map \\d+.*block \\d+");
  }
}
