package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.fault.DamagedSegments;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.JobWatch;
import io.sluice.integration.fault.JobWatch.StageAttempt;
import io.sluice.integration.fault.JobWatch.Strike;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Headers of blocks are damaged on a server's disk, which hides what comes behind them: that is
 * computed again, and no attempt of the stage meets the same damage as the one before. Without a
 * replica, so that nothing else can help.
 */
@ExtendWith(OwnShuffle.Extension.class)
class DamagedSegmentsIT {
  private static final int MAPS = FaultSession.MAPS;
  private static final int DAMAGED = 6;

  /** Of 44 bytes that do not compress: 132 MB, 66 of them at each server, most on its disk. */
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 3_000_000, 40, MAPS, false, "", false);

  /** The same rows in small partitions, of which adaptive execution has a task read thirty. */
  private static final JobRequest RANGES =
      new JobRequest("ranges of reducers", 3_000_000, 1_000, MAPS, false, "", false);

  private static @Nullable Runs shared;
  private static @Nullable Session session;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    Runs runs = new Runs("damaged-segments");
    shared = runs;
    session = new Session(runs);
  }

  @AfterAll
  static void stop() throws Exception {
    if (session != null) {
      session.close();
    }
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void whatDamagedHeadersHideIsComputedAgain(OwnShuffle own) throws Exception {
    Session running = Objects.requireNonNull(session);
    running.run(own, REQUEST, running.damaging(MAPS, () -> running.zeroHeaders()));
  }

  /** As after a power failure, where a write of the disk's cache is missing. */
  @Test
  void whatAUnitOfZerosHadIsComputedAgain(OwnShuffle own) throws Exception {
    Session running = Objects.requireNonNull(session);
    running.run(own, RANGES, running.damaging(MAPS, () -> running.zeroUnit()));
  }

  /** Its catalog tells of maps that are whole, and its disk has other things to say. */
  @Test
  void aServerThatIsBackWithDamagedHeadersIsNotBelieved(OwnShuffle own) throws Exception {
    Session running = Objects.requireNonNull(session);
    running.run(
        own,
        REQUEST,
        new Strike(
            MAPS + 3, Duration.ofSeconds(1), running.deathWith(() -> running.zeroHeaders())));
  }

  /** Two servers, of which nearly all blocks go to disks, and a driver. */
  private static final class Session implements AutoCloseable {
    private final Runs runs;
    private final LocalCluster cluster;
    private final JobWatch watch;
    private final SparkDriver driver;
    private final HttpClient http = HttpClient.newHttpClient();

    Session(Runs runs) throws Exception {
      this.runs = runs;
      cluster = runs.cluster(2, "256m", Map.of("server.flush.start", "0.05"));
      watch = JobWatch.open();
      Map<String, String> properties =
          Map.of(
              "spark.sluice.write.buffer",
              "1m",
              "spark.faults.news.port",
              Integer.toString(watch.port()));
      driver = runs.faultDriver(runs.through(cluster, Runs.LOCAL, properties));
    }

    /** Rows are exact, and maps that ran again are those of one attempt of their stage, or two. */
    void run(OwnShuffle own, JobRequest request, Strike strike) throws Exception {
      double cutBefore = cut();
      long life = cluster.servers().get(0).process().pid();
      watch.expect(List.of(strike));
      assertThat(driver.run(request, Runs.DEADLINE).fingerprint()).isEqualTo(own.faultJob(request));
      List<StageAttempt> attempts = watch.end();
      int again = FaultSession.mapsRunAgain(attempts);
      System.out.println(
          request.workload() + " over a damaged disk: " + again + " maps run again, " + attempts);
      assertThat(again).as("maps run again").isBetween(1, 2 * MAPS);
      boolean sameLife = life == cluster.servers().get(0).process().pid();
      assertThat(cut()).as("extents cut off").isGreaterThan(sameLife ? cutBefore : 0);
      assertThat(runs.serverLog(1))
          .containsPattern("partition \\d+: cut off after \\d+ bytes.* segment [0-9a-f]+ at \\d+");
    }

    private double cut() throws Exception {
      return cluster.servers().get(0).metrics(http).sum("sluice_server_damaged_extents_total");
    }

    Strike damaging(int afterMaps, Fault.Action damage) {
      Fault fault =
          new Fault() {
            @Override
            public void begin() throws Exception {
              damage.run();
            }

            @Override
            public void end() {}
          };
      return new Strike(afterMaps, null, fault);
    }

    /** Killed, damaged, and back. */
    Fault deathWith(Fault.Action damage) {
      long pid = cluster.servers().get(0).process().pid();
      return Fault.killing(
          pid,
          () -> {
            damage.run();
            cluster.restart(1);
          });
    }

    void zeroHeaders() throws IOException {
      DamagedSegments.zeroHeaders(disk(), DAMAGED);
    }

    void zeroUnit() throws IOException {
      DamagedSegments.zeroUnit(disk());
    }

    private Path disk() {
      return runs.path().resolve("cluster-1/server-1");
    }

    @Override
    public void close() throws IOException {
      watch.close();
      driver.close();
    }
  }
}
