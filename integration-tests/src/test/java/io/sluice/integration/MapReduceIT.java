package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmarks.hadoop.HadoopJob;
import io.sluice.benchmarks.hadoop.HadoopProcess;
import io.sluice.benchmarks.hadoop.HadoopProcess.Framework;
import io.sluice.benchmarks.hadoop.HadoopResult;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.common.time.Clock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * MapReduce jobs on a real HDFS and YARN, through real servers: what they write is what they write
 * with Hadoop's own shuffle.
 */
class MapReduceIT {
  private static final Duration DEADLINE = Duration.ofMinutes(4);
  private static final int SERVERS = 3;

  private static final HadoopJob WORD_COUNT = new HadoopJob("wordcount", 3, 2, 100_000);

  /** 100 bytes each, and 8 of lengths: 43 MB. */
  private static final HadoopJob SORT = new HadoopJob("sort", 3, 2, 400_000);

  /** Hadoop's own example: 100 MB in files, 108 in map outputs. */
  private static final HadoopJob TERASORT = new HadoopJob("terasort", 5, 2, 1_000_000);

  private static final HadoopJob SECONDARY = new HadoopJob("secondary", 4, 2, 200_000);

  private static final HadoopJob MANY_REDUCES = new HadoopJob("wordcount", 3, 1_100, 11_000);

  private static final Map<String, String> VALIDATED = Map.of("sluice.bench.validate", "true");

  /** Several jobs side by side, since one alone waits most of the time. */
  private static final Map<String, String> SMALL_CONTAINERS =
      Map.of(
          "mapreduce.map.memory.mb", "256",
          "mapreduce.reduce.memory.mb", "256",
          "yarn.app.mapreduce.am.resource.mb", "256");

  /** The application master runs a map again at the first word that its output is gone. */
  private static final Map<String, String> RUN_AGAIN_AT_ONCE =
      Map.of(
          "mapreduce.reduce.shuffle.max-fetch-failures-notifications", "1",
          "mapreduce.reduce.shuffle.max-fetch-failures-fraction", "0");

  private static final Map<String, String> TWO_REPLICAS = Map.of("mapreduce.sluice.replicas", "2");

  private static final Map<String, String> STALLING =
      Map.of(
          "sluice.bench.fault", "stall",
          "mapreduce.task.io.sort.mb", "1",
          "mapreduce.reduce.speculative", "false",
          "mapreduce.job.speculative.retry-after-no-speculate", "1000",
          "mapreduce.job.speculative.retry-after-speculate", "1000",
          "mapreduce.job.speculative.speculative-cap-total-tasks", "1",
          "mapreduce.job.speculative.slowtaskthreshold", "0.2");

  private static final Map<String, String> FAILING =
      Map.of("sluice.bench.fault", "fail", "mapreduce.task.io.sort.mb", "1");

  private static final Map<String, String> TOLD_OF_ITS_END =
      Map.of(
          "mapreduce.job.end-notification.url",
          "http://sluice/$jobId",
          "mapreduce.job.end-notification.custom-notifier-class",
          "io.sluice.mapreduce.SluiceJobEnd");

  private static final Map<String, String> IN_ITS_MASTER =
      Map.of(
          "mapreduce.job.ubertask.enable", "true",
          "mapreduce.job.ubertask.maxreduces", "2",
          "yarn.app.mapreduce.am.resource.mb", "512",
          "mapreduce.task.io.sort.mb", "16");

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static @Nullable Runs shared;
  private static @Nullable LocalCluster cluster;
  private static @Nullable HadoopProcess yarn;
  private static @Nullable HadoopProcess local;

  /** What Hadoop's own shuffle makes of each job; by its local job runner, which is quicker. */
  private static final Map<HadoopJob, HadoopResult> own = new HashMap<>();

  /** Jobs that ran on YARN side by side, or why they failed. */
  private static final Map<String, HadoopResult> ended = new HashMap<>();

  private static final Map<String, JobFailedException> failed = new HashMap<>();

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    Runs runs = new Runs("mapreduce");
    shared = runs;
    FutureTask<HadoopProcess> starting = new FutureTask<>(() -> runs.hadoop(Framework.YARN));
    new Thread(starting, "start of YARN").start();
    cluster =
        runs.coordinated(
            SERVERS,
            "320m",
            Map.of(
                "coordinator.server.suspect-after", "3s", "coordinator.server.lost-after", "8s"));
    HadoopProcess quick = runs.hadoop(Framework.LOCAL);
    local = quick;
    for (HadoopJob job : List.of(WORD_COUNT, SORT, SECONDARY, MANY_REDUCES)) {
      own.put(job, quick.run(inTwos(job), DEADLINE));
    }
    own.put(TERASORT, quick.run(inTwos(TERASORT.with(VALIDATED)), DEADLINE));
    yarn = starting.get();
    runSideBySide();
  }

  private static HadoopJob inTwos(HadoopJob job) {
    return job.with(Map.of("mapreduce.local.reduce.tasks.maximum", "2"));
  }

  /** Jobs that nothing happens to but what they bring about themselves. */
  private static void runSideBySide() throws Exception {
    HadoopProcess jobs = Objects.requireNonNull(yarn);
    Map<String, HadoopJob> all = new LinkedHashMap<>();
    all.put("stall", through(SECONDARY.with(STALLING)));
    all.put("terasort", through(TERASORT.with(VALIDATED)));
    all.put("fail", through(SECONDARY.with(FAILING)));
    all.put("words", through(WORD_COUNT.with(TOLD_OF_ITS_END)));
    all.put("uber", through(WORD_COUNT.with(IN_ITS_MASTER)));
    all.put("own", WORD_COUNT);
    Map<String, HadoopProcess.Begun> begun = new LinkedHashMap<>();
    for (Map.Entry<String, HadoopJob> job : all.entrySet()) {
      HadoopJob small = job.getValue().with(SMALL_CONTAINERS);
      begun.put(job.getKey(), jobs.begin(small.with(job.getValue().properties())));
    }
    for (Map.Entry<String, HadoopProcess.Begun> job : begun.entrySet()) {
      try {
        ended.put(job.getKey(), jobs.await(job.getValue(), DEADLINE));
      } catch (JobFailedException e) {
        failed.put(job.getKey(), e);
      }
    }
  }

  private static HadoopResult result(String name) throws JobFailedException {
    JobFailedException failure = failed.get(name);
    if (failure != null) {
      throw failure;
    }
    return Objects.requireNonNull(ended.get(name));
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  private static ServerKills victims() {
    return new ServerKills(Objects.requireNonNull(cluster), Objects.requireNonNull(yarn), DEADLINE);
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

  private static final String[] ALL_COUNTERS = {
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
    "FAILED_SHUFFLE"
  };

  @Test
  void wordsAreCountedAndCombinedAndWhatWasStoredGoesWithTheJob() throws Exception {
    HadoopResult through = result("words");

    assertSame(through, WORD_COUNT, ALL_COUNTERS);
    assertThat(through.counter("REDUCE_SHUFFLE_BYTES"))
        .as("bytes that reducers fetched: those that maps have pushed")
        .isEqualTo(through.counter("MAP_OUTPUT_MATERIALIZED_BYTES"));
    assertThat(applications()).as("one that did not tell").contains(result("terasort").job());
    awaitEnd(through.job());
  }

  /** What the local job runner does with Hadoop's own shuffle is what YARN does with it. */
  @Test
  void hadoopsOwnShuffleMakesTheSameOnYarn() throws Exception {
    assertSame(result("own"), WORD_COUNT, ALL_COUNTERS);
  }

  /** The master says so a while after its client has seen the job end. */
  private static void awaitEnd(String job) throws Exception {
    Clock clock = Clock.system();
    long deadline = clock.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (applications().contains(job)) {
      assertThat(clock.nanoTime()).as("end of " + job).isLessThan(deadline);
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  private static String applications() throws Exception {
    URI uri =
        URI.create(
            "http://" + Objects.requireNonNull(cluster).coordinatorHttp() + "/api/v1/applications");
    return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  @Test
  void rowsAreSortedWithACodecBeyondTheMemoryOfMapsAndReduces() throws Exception {
    HadoopResult through =
        locally(
            SORT,
            Map.of(
                "mapreduce.map.output.compress", "true",
                "mapreduce.task.io.sort.mb", "4",
                "mapreduce.reduce.memory.totalbytes", "13000000"));

    assertSame(through, SORT, "MAP_OUTPUT_RECORDS", "REDUCE_INPUT_RECORDS", "SHUFFLED_MAPS");
    assertThat(through.counter("MAP_OUTPUT_MATERIALIZED_BYTES"))
        .as("compressed bytes")
        .isLessThan(through.counter("MAP_OUTPUT_BYTES") * 3 / 4);
  }

  @Test
  void hadoopsOwnExampleSortsAndValidatesTheSameRows() throws Exception {
    HadoopResult through = result("terasort");

    assertSame(
        through,
        TERASORT,
        "VALIDATED_CHECKSUM",
        "MAP_OUTPUT_RECORDS",
        "MAP_OUTPUT_BYTES",
        "REDUCE_INPUT_RECORDS");
    assertThat(through.counter("SHUFFLED_MAPS"))
        .isEqualTo((long) TERASORT.maps() * TERASORT.reduces());
    assertThat(through.counter("VALIDATED_CHECKSUM")).isNotZero();
  }

  @Test
  void theLocalJobRunnerCountsWordsTheSameWay() throws Exception {
    assertSame(
        locally(WORD_COUNT, Map.of()), WORD_COUNT, "COMBINE_OUTPUT_RECORDS", "SPILLED_RECORDS");
  }

  @Test
  void groupsAreSortedWithinWhileMapAttemptsFailMidPush() throws Exception {
    HadoopResult through = result("fail");

    assertSame(through, SECONDARY, "REDUCE_INPUT_GROUPS", "REDUCE_INPUT_RECORDS", "SHUFFLED_MAPS");
    assertThat(through.counter("NUM_FAILED_MAPS")).isEqualTo(2);
  }

  @Test
  void theFirstOfTwoAttemptsToFinishIsReadAlone() throws Exception {
    HadoopResult through = result("stall");

    assertSame(through, SECONDARY, "REDUCE_INPUT_RECORDS", "SHUFFLED_MAPS");
    assertThat(through.counter("NUM_KILLED_MAPS")).isPositive();
  }

  private static void assertSorted(HadoopResult through) {
    assertSame(
        through,
        SORT,
        "MAP_OUTPUT_RECORDS",
        "MAP_OUTPUT_BYTES",
        "REDUCE_INPUT_RECORDS",
        "SHUFFLED_MAPS");
  }

  @Test
  @EnabledIfSystemProperty(named = "sluice.faults.full", matches = "true")
  void aServerThatDiesCostsMapsThatRunAgainAndNoRow() throws Exception {
    HadoopResult through = victims().whileMapsRun(through(SORT.with(RUN_AGAIN_AT_ONCE)));

    assertSorted(through);
    assertThat(through.counter("TOTAL_LAUNCHED_MAPS")).isGreaterThan(SORT.maps());
  }

  @Test
  void withTwoReplicasAServerThatDiesCostsNothing() throws Exception {
    assertCostNothing(victims().whileMapsRun(through(SORT.with(TWO_REPLICAS))));
  }

  @Test
  void aServerThatDiesWhileReducersFetchCostsMapsThatRunAgainAndNoRow() throws Exception {
    HadoopResult through = victims().whileReducersFetch(through(SORT.with(RUN_AGAIN_AT_ONCE)));

    assertSorted(through);
    assertThat(through.counter("TOTAL_LAUNCHED_MAPS")).isGreaterThan(SORT.maps());
    assertThat(through.counter("FAILED_SHUFFLE")).isPositive();
    assertThat(through.counter("NUM_FAILED_REDUCES")).isZero();
  }

  @Test
  @EnabledIfSystemProperty(named = "sluice.faults.full", matches = "true")
  void withTwoReplicasAServerThatDiesWhileReducersFetchCostsNothing() throws Exception {
    assertCostNothing(victims().whileReducersFetch(through(SORT.with(TWO_REPLICAS))));
  }

  private static void assertCostNothing(HadoopResult through) {
    assertSorted(through);
    assertThat(through.counter("TOTAL_LAUNCHED_MAPS")).isEqualTo(SORT.maps());
    assertThat(through.counter("TOTAL_LAUNCHED_REDUCES")).isEqualTo(SORT.reduces());
    assertThat(through.counter("FAILED_SHUFFLE")).isZero();
  }

  @Test
  void aJobSmallEnoughToRunInItsMasterShufflesTheSameWay() throws Exception {
    HadoopResult through = result("uber");

    assertSame(through, WORD_COUNT, "MAP_OUTPUT_RECORDS", "REDUCE_INPUT_RECORDS");
    assertThat(through.counter("TOTAL_LAUNCHED_UBERTASKS")).isEqualTo(5);
  }

  @Test
  void anApplicationMasterThatStartsAgainFindsWhatItsFirstTasksHaveStored() throws Exception {
    HadoopProcess jobs = Objects.requireNonNull(yarn);
    HadoopProcess.Begun begun = jobs.begin(through(SORT).tellingAt(0.5));
    jobs.awaitProgress(begun, DEADLINE);
    jobs.killApplicationMaster(begun);
    HadoopResult through = jobs.await(begun, DEADLINE);

    assertSorted(through);
    assertThat(through.counter("FAILED_SHUFFLE")).isZero();
  }

  /** Each of them opens a client in the one process that runs them all. */
  @Test
  void moreReducesThanAThousandGetOnePlacement() throws Exception {
    HadoopResult through =
        locally(MANY_REDUCES, Map.of("mapreduce.local.reduce.tasks.maximum", "2"));

    assertSame(through, MANY_REDUCES, "REDUCE_INPUT_RECORDS", "SHUFFLED_MAPS");
    assertThat(through.counter("SHUFFLED_MAPS")).isEqualTo(3_300);
  }

  @Test
  void aJobWithUnknownSettingsFailsAndSaysWhichOnesWereMeant() throws Exception {
    assertThatThrownBy(() -> locally(WORD_COUNT, Map.of("mapreduce.sluice.replica", "2")))
        .isInstanceOf(JobFailedException.class);
    assertThat(Objects.requireNonNull(shared).localHadoopLog())
        .contains("did you mean mapreduce.sluice.replicas?");
  }
}
