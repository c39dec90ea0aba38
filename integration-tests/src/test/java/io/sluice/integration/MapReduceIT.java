package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmarks.hadoop.HadoopJob;
import io.sluice.benchmarks.hadoop.HadoopProcess;
import io.sluice.benchmarks.hadoop.HadoopProcess.Framework;
import io.sluice.benchmarks.hadoop.HadoopResult;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.common.time.Clock;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * MapReduce jobs on a real HDFS and YARN, through real servers: what they write is what they write
 * with Hadoop's own shuffle.
 */
class MapReduceIT {
  private static final Duration DEADLINE = Duration.ofMinutes(2);
  private static final int SERVERS = 3;

  private static final HadoopJob WORD_COUNT = new HadoopJob("wordcount", 3, 2, 100_000);

  /** 100 bytes each, and 8 of lengths: 108 MB. */
  private static final HadoopJob SORT = new HadoopJob("sort", 5, 2, 1_000_000);

  /** Hadoop's own example, with as many of its rows: 100 MB in files. */
  private static final HadoopJob TERASORT = new HadoopJob("terasort", 5, 2, 1_000_000);

  private static final Map<String, String> VALIDATED = Map.of("sluice.bench.validate", "true");

  private static final HadoopJob SECONDARY = new HadoopJob("secondary", 4, 2, 200_000);

  /** The application master runs a map again at the first word that its output is gone. */
  private static final Map<String, String> RUN_AGAIN_AT_ONCE =
      Map.of(
          "mapreduce.reduce.shuffle.max-fetch-failures-notifications", "1",
          "mapreduce.reduce.shuffle.max-fetch-failures-fraction", "0");

  private static @Nullable Runs shared;
  private static @Nullable LocalCluster cluster;
  private static @Nullable HadoopProcess yarn;
  private static @Nullable HadoopProcess local;

  /** What Hadoop's own shuffle makes of each job; by its local job runner, which is quicker. */
  private static final Map<HadoopJob, HadoopResult> own = new HashMap<>();

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    Runs runs = new Runs("mapreduce");
    shared = runs;
    cluster = runs.cluster(SERVERS, "320m");
    yarn = runs.hadoop(Framework.YARN);
    HadoopProcess quick = runs.hadoop(Framework.LOCAL);
    local = quick;
    for (HadoopJob job : List.of(WORD_COUNT, SORT, SECONDARY)) {
      own.put(job, quick.run(job, DEADLINE));
    }
    own.put(TERASORT, quick.run(TERASORT.with(VALIDATED), DEADLINE));
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  private static HadoopResult onYarn(HadoopJob job, Map<String, String> properties)
      throws Exception {
    return Objects.requireNonNull(yarn).run(through(job.with(properties)), DEADLINE);
  }

  private static HadoopResult locally(HadoopJob job, Map<String, String> properties)
      throws Exception {
    return Objects.requireNonNull(local).run(through(job.with(properties)), DEADLINE);
  }

  private static HadoopJob through(HadoopJob job) throws Exception {
    return Objects.requireNonNull(shared).through(Objects.requireNonNull(cluster), job);
  }

  private static void assertSame(HadoopResult through, HadoopJob job, String... counters) {
    HadoopResult expected = Objects.requireNonNull(own.get(job));
    assertThat(through.digest()).as("output of " + job.workload()).isEqualTo(expected.digest());
    for (String counter : counters) {
      assertThat(through.counter(counter)).as(counter).isEqualTo(expected.counter(counter));
    }
  }

  /** Of its files the local job runner makes other splits: what a map has, and no more, differs. */
  private static void assertSorted(HadoopResult through) {
    assertSame(through, TERASORT, "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_BYTES", "REDUCE_INPUT_RECORDS");
    assertThat(through.counter("SHUFFLED_MAPS"))
        .isEqualTo((long) TERASORT.maps() * TERASORT.reduces());
  }

  @Test
  void wordsAreCountedAndCombinedAndWhatWasStoredGoesWithTheJob() throws Exception {
    double before = applications();
    HadoopResult through =
        onYarn(
            WORD_COUNT,
            Map.of(
                "mapreduce.job.end-notification.url",
                "http://sluice/$jobId",
                "mapreduce.job.end-notification.custom-notifier-class",
                "io.sluice.mapreduce.SluiceJobEnd"));

    assertSame(
        through,
        WORD_COUNT,
        "MAP_INPUT_RECORDS",
        "MAP_OUTPUT_RECORDS",
        "MAP_OUTPUT_BYTES",
        "COMBINE_INPUT_RECORDS",
        "COMBINE_OUTPUT_RECORDS",
        "REDUCE_INPUT_GROUPS",
        "REDUCE_INPUT_RECORDS",
        "REDUCE_OUTPUT_RECORDS",
        "SHUFFLED_MAPS",
        "MERGED_MAP_OUTPUTS",
        "SPILLED_RECORDS",
        "FAILED_SHUFFLE");
    assertThat(through.counter("REDUCE_SHUFFLE_BYTES"))
        .as("bytes that reducers fetched: those that maps have pushed")
        .isEqualTo(through.counter("MAP_OUTPUT_MATERIALIZED_BYTES"));
    awaitApplications(before);
  }

  /** The master says so a while after its client has seen the job end. */
  private static void awaitApplications(double expected) throws Exception {
    Clock clock = Clock.system();
    long deadline = clock.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (applications() != expected) {
      assertThat(clock.nanoTime()).as("applications that are left").isLessThan(deadline);
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  private static double applications() throws Exception {
    return Objects.requireNonNull(cluster)
        .coordinatorMetrics()
        .sum("sluice_coordinator_applications");
  }

  @Test
  void rowsAreSortedWithACodecBeyondTheMemoryOfMapsAndReduces() throws Exception {
    HadoopResult through =
        locally(
            SORT,
            Map.of(
                "mapreduce.map.output.compress", "true",
                "mapreduce.task.io.sort.mb", "4",
                "mapreduce.reduce.memory.totalbytes", "32000000"));

    assertSame(through, SORT, "MAP_OUTPUT_RECORDS", "REDUCE_INPUT_RECORDS", "SHUFFLED_MAPS");
    assertThat(through.counter("MAP_OUTPUT_MATERIALIZED_BYTES"))
        .as("compressed bytes")
        .isLessThan(through.counter("MAP_OUTPUT_BYTES") * 3 / 4);
  }

  @Test
  void hadoopsOwnExampleSortsAndValidatesTheSameRows() throws Exception {
    HadoopResult through = onYarn(TERASORT, VALIDATED);

    assertSorted(through);
    assertSame(through, TERASORT, "VALIDATED_CHECKSUM");
    assertThat(through.counter("VALIDATED_CHECKSUM")).isNotZero();
  }

  @Test
  void theLocalJobRunnerCountsWordsTheSameWay() throws Exception {
    assertSame(
        locally(WORD_COUNT, Map.of()), WORD_COUNT, "COMBINE_OUTPUT_RECORDS", "SPILLED_RECORDS");
  }

  @Test
  void groupsAreSortedWithinWhileMapAttemptsFailMidPush() throws Exception {
    HadoopResult through =
        onYarn(SECONDARY, Map.of("sluice.bench.fault", "fail", "mapreduce.task.io.sort.mb", "1"));

    assertSame(through, SECONDARY, "REDUCE_INPUT_GROUPS", "REDUCE_INPUT_RECORDS", "SHUFFLED_MAPS");
    assertThat(through.counter("NUM_FAILED_MAPS")).isEqualTo(2);
  }

  @Test
  void theFirstOfTwoAttemptsToFinishIsReadAlone() throws Exception {
    HadoopResult through =
        onYarn(
            SECONDARY,
            Map.of(
                "sluice.bench.fault", "stall",
                "mapreduce.task.io.sort.mb", "1",
                "mapreduce.reduce.speculative", "false",
                "mapreduce.job.speculative.retry-after-no-speculate", "1000",
                "mapreduce.job.speculative.retry-after-speculate", "1000",
                "mapreduce.job.speculative.speculative-cap-total-tasks", "1",
                "mapreduce.job.speculative.slowtaskthreshold", "0.2"));

    assertSame(through, SECONDARY, "REDUCE_INPUT_RECORDS", "SHUFFLED_MAPS");
    assertThat(through.counter("NUM_KILLED_MAPS")).isPositive();
  }

  @Test
  void aServerThatDiesCostsMapsThatRunAgainAndNoRow() throws Exception {
    HadoopResult through = killAServerOf(TERASORT.with(RUN_AGAIN_AT_ONCE));

    assertSorted(through);
    assertThat(through.counter("TOTAL_LAUNCHED_MAPS")).isGreaterThan(TERASORT.maps());
  }

  @Test
  void withTwoReplicasAServerThatDiesCostsNothing() throws Exception {
    HadoopResult through = killAServerOf(TERASORT.with(Map.of("mapreduce.sluice.replicas", "2")));

    assertSorted(through);
    assertThat(through.counter("TOTAL_LAUNCHED_MAPS")).isEqualTo(TERASORT.maps());
    assertThat(through.counter("FAILED_SHUFFLE")).isZero();
  }

  /** Kills a server that holds blocks of maps that have ended, while others still run. */
  private static HadoopResult killAServerOf(HadoopJob job) throws Exception {
    HadoopProcess jobs = Objects.requireNonNull(yarn);
    LocalCluster servers = Objects.requireNonNull(cluster);
    Map<String, String> alone =
        Map.of("mapreduce.sluice.reconnect-deadline", "5s", "mapreduce.map.speculative", "false");
    List<Double> before = pushed(servers);
    jobs.begin(through(job.with(alone)).tellingAt(0.5));
    jobs.awaitProgress(DEADLINE);
    List<Double> after = pushed(servers);
    int victim = 0;
    while (after.get(victim) <= before.get(victim)) {
      victim++;
    }
    ProcessHandle.of(servers.servers().get(victim).process().pid()).orElseThrow().destroyForcibly();
    HadoopResult result = jobs.await(DEADLINE);
    servers.restart(victim + 1);
    return result;
  }

  /** Bytes stored by each server of its present life. */
  private static List<Double> pushed(LocalCluster servers) throws Exception {
    List<Double> bytes = new ArrayList<>();
    for (LocalServer server : servers.servers()) {
      bytes.add(server.metrics(HttpClient.newHttpClient()).sum("sluice_server_pushed_bytes_total"));
    }
    return bytes;
  }

  @Test
  void aJobSmallEnoughToRunInItsMasterShufflesTheSameWay() throws Exception {
    HadoopResult through =
        onYarn(
            WORD_COUNT,
            Map.of(
                "mapreduce.job.ubertask.enable", "true",
                "mapreduce.job.ubertask.maxreduces", "2",
                "yarn.app.mapreduce.am.resource.mb", "1024",
                "mapreduce.task.io.sort.mb", "16"));

    assertSame(through, WORD_COUNT, "MAP_OUTPUT_RECORDS", "REDUCE_INPUT_RECORDS");
    assertThat(through.counter("TOTAL_LAUNCHED_UBERTASKS")).isEqualTo(5);
  }

  @Test
  void anApplicationMasterThatStartsAgainFindsWhatItsFirstTasksHaveStored() throws Exception {
    HadoopProcess jobs = Objects.requireNonNull(yarn);
    jobs.begin(through(TERASORT).tellingAt(0.5));
    jobs.awaitProgress(DEADLINE);
    jobs.killApplicationMaster();
    HadoopResult through = jobs.await(DEADLINE);

    assertSorted(through);
    assertThat(through.counter("FAILED_SHUFFLE")).isZero();
  }

  @Test
  void aJobWithUnknownSettingsFailsAndSaysWhichOnesWereMeant() throws Exception {
    assertThatThrownBy(() -> locally(WORD_COUNT, Map.of("mapreduce.sluice.replica", "2")))
        .isInstanceOf(JobFailedException.class);
    assertThat(Objects.requireNonNull(shared).localHadoopLog())
        .contains("did you mean mapreduce.sluice.replicas?");
  }
}
