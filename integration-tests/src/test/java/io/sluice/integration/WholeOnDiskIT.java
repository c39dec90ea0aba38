package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.JobWatch;
import io.sluice.integration.fault.JobWatch.Strike;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A server that is killed has nearly all of a shuffle on its disk, and is back at once: what is
 * whole there is not computed again.
 */
@ExtendWith(OwnShuffle.Extension.class)
class WholeOnDiskIT {
  private static final int MAPS = 20;

  /**
   * Of 44 bytes that do not compress: 132 MB for each of two shuffles that live at once, so that
   * the driver has two questions for the server; 3.3 MB of each map at each of two servers.
   */
  private static final JobRequest TWO_SHUFFLES =
      new JobRequest("two-shuffles", 3_000_000, 40, MAPS, false, "", false);

  private @Nullable Runs runs;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> runs);

  @Test
  void mapsThatAreWholeOnTheDiskOfAKilledServerAreNotRunAgain(OwnShuffle own) throws Exception {
    try (Runs opened = new Runs("whole-on-disk");
        JobWatch watch = JobWatch.open()) {
      runs = opened;
      LocalCluster cluster =
          opened.cluster(
              2, "256m", Map.of("server.flush.start", "0.05", "server.connections.max", "64"));
      Map<String, String> properties =
          Map.of(
              "spark.sluice.write.buffer",
              "1m",
              "spark.faults.news.port",
              Integer.toString(watch.port()));
      SparkDriver driver =
          opened.faultDriver(opened.through(cluster, "local-cluster[2,1,1024]", properties));
      try (driver) {
        Fingerprint expected = own.faultJob(TWO_SHUFFLES);
        long killed = cluster.servers().get(0).process().pid();
        Fault death = Fault.killing(killed, () -> cluster.restart(1));
        watch.expect(List.of(new Strike(2 * MAPS + 7, Duration.ofSeconds(1), death)));
        assertThat(driver.run(TWO_SHUFFLES, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
        int again = FaultSession.mapsRunAgain(watch.end());
        System.out.println(
            "of two shuffles on a killed server's disk " + again + " maps run again");
        // If one of them were all lost that would be twice as many.
        assertThat(again).as("run again: what was in memory").isLessThanOrEqualTo(MAPS / 2);
      }
    }
  }
}
