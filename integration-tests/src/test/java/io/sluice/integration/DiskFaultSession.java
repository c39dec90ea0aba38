package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.local.MetricsPage;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.JobWatch;
import io.sluice.integration.fault.JobWatch.StageAttempt;
import io.sluice.integration.fault.JobWatch.Strike;
import io.sluice.integration.fault.LoopDisk;
import io.sluice.integration.quorum.Until;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Two servers, of which the first has a small disk of its own beside one that always works, and
 * little memory: nearly all blocks go to disks. One driver for each number of replicas, for job
 * after job.
 */
final class DiskFaultSession implements AutoCloseable {
  static final int MAPS = 20;

  /** Of 44 bytes that do not compress: 88 MB, a quarter of them on the small disk. */
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 2_000_000, 40, MAPS, false, "", false);

  /** Of each disk; nothing is written beyond. */
  private static final long RESERVED_BYTES = 64 << 20;

  /** More than what has to fit beside that for a disk to be given units. */
  private static final long UNITS_BYTES = 32 << 20;

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Runs runs;
  private final LoopDisk disk;
  private final Fingerprint expected;
  private final LocalCluster cluster;
  private final Leftovers leftovers;
  private final Map<Integer, Driver> drivers = new HashMap<>();

  /** A driver and what is heard of its jobs. */
  private record Driver(SparkDriver spark, JobWatch watch) {}

  /**
   * @param launcher of servers; see {@link io.sluice.cli.local.LocalClusterSettings}
   * @param disk of the first server; stays the caller's
   */
  DiskFaultSession(OwnShuffle own, List<String> launcher, LoopDisk disk) throws Exception {
    this.disk = disk;
    expected = own.faultJob(REQUEST);
    runs = new Runs("disk-faults");
    Path healthy = runs.path().resolve("healthy");
    cluster =
        runs.clusterUnder(
            launcher,
            "256m",
            Map.of("server.flush.start", "0.05", "server.connections.max", "64"),
            List.of(
                Map.of("server.data-dirs", "ssd:" + disk.path() + ",ssd:" + healthy), Map.of()));
    leftovers = new Leftovers(cluster);
  }

  Runs runs() {
    return runs;
  }

  /**
   * Runs a job that this happens to, of which rows are exact, and waits until the disk is back and
   * nothing is left of the job.
   *
   * @param signs looked for when the job has ended and the fault may not have
   * @return the attempts of the job's stages
   */
  List<StageAttempt> run(int replicas, Signs signs, Strike strike) throws Exception {
    Driver driver = driver(replicas);
    Before before =
        new Before(
            disk("sluice_server_disk_fences_total"),
            disk("sluice_server_disk_payload_written_bytes_total"),
            runs.serverLog(1).length());
    driver.watch().expect(List.of(strike));
    List<StageAttempt> attempts;
    try {
      assertThat(driver.spark().run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
      assertThat(disk("sluice_server_disk_payload_written_bytes_total"))
          .as("bytes on the small disk")
          .isGreaterThan(before.writtenBytes());
      signs.check(before);
    } finally {
      attempts = driver.watch().end();
    }
    Until.holds("both disks are there", () -> page().sum("sluice_server_disk_healthy") == 2);
    Until.holds("the coordinator hears of it", this::healthySaysTheCoordinator);
    leftovers.awaitNone();
    // What it knows of its room is up to a second old, and warm jobs take hardly longer.
    Until.holds(
        "it has room for the next job",
        () -> disk("sluice_server_disk_free_bytes") > RESERVED_BYTES + UNITS_BYTES);
    return attempts;
  }

  /** The small disk takes no writes any more, until its server is stopped; then both come back. */
  Fault readOnlyUntilRestart() {
    Fault readOnly = disk.readOnly();
    return new Fault() {
      @Override
      public void begin() throws Exception {
        readOnly.begin();
      }

      @Override
      public void end() throws Exception {
        server().process().close();
        readOnly.end();
        cluster.restart(1);
      }
    };
  }

  /** Of its files, so that units end where no file may go on. */
  Fault filesLimitedTo(long bytes) {
    return Fault.limitingFiles(server().process().pid(), bytes);
  }

  /** What the server's log and figures show of a fault. */
  @FunctionalInterface
  interface Signs {
    void check(Before before) throws Exception;
  }

  /** What was said of the small disk before a job. */
  record Before(double fences, double writtenBytes, int logged) {}

  /** A full disk may be seen before a write: then it is passed by, and has no fence. */
  void assertFull(Before before) throws Exception {
    Until.holds("no room", () -> disk("sluice_server_disk_free_bytes") < RESERVED_BYTES);
    assertThat(disk("sluice_server_disk_fences_total"))
        .as("fences")
        .isLessThanOrEqualTo(before.fences() + 1);
  }

  /**
   * @param reported what the server's log says of the fence, as a pattern, behind the disk's name
   */
  Signs fenced(String reported) {
    return before -> assertFenced(before, reported);
  }

  private void assertFenced(Before before, String reported) throws Exception {
    assertThat(disk("sluice_server_disk_fences_total")).as("fences").isEqualTo(before.fences() + 1);
    assertThat(disk("sluice_server_disk_healthy")).as("healthy").isZero();
    assertReported(before, reported);
    Until.holds("the coordinator hears of the fence", () -> !healthySaysTheCoordinator());
  }

  /** It may be back already, and fenced again. */
  Signs fencedForAWhile(String reported) {
    return before -> {
      assertThat(disk("sluice_server_disk_fences_total"))
          .as("fences")
          .isGreaterThan(before.fences());
      assertReported(before, reported);
    };
  }

  private void assertReported(Before before, String reported) throws IOException {
    assertThat(runs.serverLog(1).substring(before.logged()))
        .containsPattern("(?s)" + Pattern.quote(disk.path() + ": fenced") + ".*(" + reported + ")");
  }

  private Driver driver(int replicas) throws Exception {
    Driver known = drivers.get(replicas);
    if (known == null) {
      JobWatch watch = JobWatch.open();
      Map<String, String> properties =
          Map.of(
              "spark.sluice.replicas",
              Integer.toString(replicas),
              "spark.sluice.write.buffer",
              "1m",
              "spark.faults.news.port",
              Integer.toString(watch.port()),
              // Shuffles end when the collector finds that nobody has them any more.
              "spark.cleaner.periodicGC.interval",
              "2s");
      known = new Driver(runs.faultDriver(runs.through(cluster, Runs.LOCAL, properties)), watch);
      drivers.put(replicas, known);
    }
    return known;
  }

  /** A figure of the small disk. */
  private double disk(String metric) throws IOException, InterruptedException {
    return page().sum(metric, "disk=\"" + disk.path() + "\"");
  }

  private MetricsPage page() throws IOException, InterruptedException {
    return server().metrics(HTTP);
  }

  private LocalServer server() {
    return cluster.servers().get(0);
  }

  private boolean healthySaysTheCoordinator() throws IOException, InterruptedException {
    URI servers = URI.create("http://" + cluster.coordinatorHttp() + "/api/v1/servers");
    String body =
        HTTP.send(HttpRequest.newBuilder(servers).build(), HttpResponse.BodyHandlers.ofString())
            .body();
    String named = "\"path\":\"" + disk.path() + "\"";
    assertThat(body).contains(named);
    String rest = body.substring(body.indexOf(named));
    return rest.substring(0, rest.indexOf('}')).contains("\"healthy\":true");
  }

  @Override
  public void close() throws IOException {
    for (Driver driver : drivers.values()) {
      driver.spark().close();
      driver.watch().close();
    }
    runs.close();
  }
}
