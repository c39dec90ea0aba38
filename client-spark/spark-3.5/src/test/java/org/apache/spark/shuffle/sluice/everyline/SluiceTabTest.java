package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

/** The tab in a real driver's UI, asked over HTTP. */
class SluiceTabTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client = HttpClient.newHttpClient();
  private final StageMetrics stages = new StageMetrics();
  private @Nullable SparkSession started;

  /** What Spark itself adds up of each stage. */
  private static final class StageMetrics extends SparkListener {
    final Map<Integer, long[]> writtenByShuffle = new TreeMap<>();
    final long[] read = new long[2];

    /** Bytes and records. */
    long[] written(int shuffle) {
      return Objects.requireNonNull(writtenByShuffle.get(shuffle));
    }

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted completed) {
      TaskMetrics metrics = completed.stageInfo().taskMetrics();
      read[0] += metrics.shuffleReadMetrics().totalBytesRead();
      read[1] += metrics.shuffleReadMetrics().recordsRead();
      if (completed.stageInfo().shuffleDepId().isDefined()) {
        long[] written =
            writtenByShuffle.computeIfAbsent(
                (Integer) completed.stageInfo().shuffleDepId().get(), id -> new long[2]);
        written[0] += metrics.shuffleWriteMetrics().bytesWritten();
        written[1] += metrics.shuffleWriteMetrics().recordsWritten();
      }
    }
  }

  @AfterEach
  void stop() {
    if (started != null) {
      started.stop();
    }
  }

  private SparkSession spark() {
    return Objects.requireNonNull(started);
  }

  private void start(Map<String, String> extra) {
    Map<String, String> conf = new HashMap<>(extra);
    conf.put("spark.ui.enabled", "true");
    conf.put("spark.ui.port", "0");
    conf.put("spark.ui.showConsoleProgress", "false");
    conf.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    conf.put("spark.sql.shuffle.partitions", "5");
    started = SparkSide.heap(conf);
    started.sparkContext().addSparkListener(stages);
  }

  @Test
  void figuresAreSparksOwn() throws Exception {
    start(Map.of());
    Dataset<Row> one = rows(4_000).repartition(7, col("k"));
    assertThat(one.join(rows(500).withColumnRenamed("g", "h"), "k").count()).isPositive();

    JsonNode page = json("");
    assertThat(stages.writtenByShuffle).hasSizeGreaterThanOrEqualTo(3);
    JsonNode shuffles = page.get("shuffles");
    assertThat(shuffles).hasSize(stages.writtenByShuffle.size());
    long readAlone = 0;
    long together = 0;
    for (JsonNode shuffle : shuffles) {
      int id = shuffle.get("shuffleId").asInt();
      long[] written = stages.written(id);
      assertThat(shuffle.get("bytesWritten").asLong()).as("bytes of %s", id).isEqualTo(written[0]);
      assertThat(shuffle.get("recordsWritten").asLong()).isEqualTo(written[1]);
      assertThat(shuffle.get("local").asBoolean()).isFalse();
      assertThat(shuffle.get("registered").asBoolean()).isTrue();
      assertThat(shuffle.get("servers").asInt()).isEqualTo(1);
      assertThat(shuffle.get("maps").asInt()).isPositive();
      JsonNode sizes = shuffle.get("partitionBytes");
      assertThat(sizes.get("mapsSeen")).isEqualTo(shuffle.get("maps"));
      // Map statuses round up, by a tenth at most, and a byte.
      assertThat(sizes.get("total").asLong())
          .isBetween(written[0], written[0] + written[0] / 10 + 10_000);
      readAlone += shuffle.get("bytesRead").asLong();
      if (shuffle.get("readTogetherWith").size() > 0) {
        together = shuffle.get("bytesReadTogether").asLong();
      }
    }
    JsonNode totals = page.get("totals");
    long written = stages.writtenByShuffle.values().stream().mapToLong(w -> w[0]).sum();
    assertThat(totals.get("bytesWritten").asLong()).isEqualTo(written);
    assertThat(totals.get("bytesWrittenLocally").asLong()).isZero();
    assertThat(totals.get("bytesRead").asLong()).isEqualTo(stages.read[0]).isPositive();
    assertThat(totals.get("recordsRead").asLong()).isEqualTo(stages.read[1]);
    assertThat(together).as("what the join read").isPositive();
    assertThat(readAlone + together).isEqualTo(stages.read[0]);
    assertThat(page.get("application").get("coordinators").asText()).isEqualTo("localhost:1");

    shuffleHasAPageOfItsOwn(shuffles.get(shuffles.size() - 1));
    pagesAreSparks();
    wrongRequestsAreNamed();
  }

  private void shuffleHasAPageOfItsOwn(JsonNode shuffle) throws Exception {
    int id = shuffle.get("shuffleId").asInt();
    JsonNode page = json("shuffle/", "id=" + id);
    assertThat(page.get("bytesWritten")).isEqualTo(shuffle.get("bytesWritten"));
    assertThat(page.get("onServers")).hasSize(1);
    JsonNode server = page.get("onServers").get(0);
    assertThat(server.get("host").asText()).isEqualTo("heap");
    assertThat(server.get("partitions")).isEqualTo(shuffle.get("partitions"));
    assertThat(server.get("bytes")).isEqualTo(shuffle.get("partitionBytes").get("total"));
    assertThat(page.get("perMille").get("1000"))
        .isEqualTo(shuffle.get("partitionBytes").get("max"))
        .isEqualTo(page.get("largest").get(0).get("bytes"));
    assertThat(get("sluice/shuffle/?id=" + id).body())
        .contains("<h4>Shuffle " + id + "</h4>")
        .contains("<td>heap:1</td>");
  }

  /** With the header and the tabs that Spark's own pages have. */
  private void pagesAreSparks() throws Exception {
    HttpResponse<String> page = get("sluice/");
    assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
    assertThat(page.body())
        .contains("<h4>Shuffles</h4>")
        .contains("href=\"shuffle/?id=0\"")
        .containsPattern("<li class=\"nav-item active\">\\s*<a [^>]*href=\"/sluice/\"[^>]*>Sluice")
        .containsPattern("href=\"/stages/\"");
    assertThat(get("stages/").body()).contains("href=\"/sluice/\"");
  }

  private void wrongRequestsAreNamed() throws Exception {
    for (String wrong :
        List.of("?page=0", "?page=x", "?sort=%3Cb%3E", "shuffle/", "shuffle/?id=-1")) {
      HttpResponse<String> answer = get("sluice/" + wrong);
      assertThat(answer.statusCode()).as(wrong).isEqualTo(400);
      assertThat(answer.body()).contains("INVALID_ARGUMENT").doesNotContain("<b>");
    }
    assertThat(get("sluice/shuffle/?id=77").body()).contains("shuffle 77 is not known");
  }

  @Test
  void showsWhyAShuffleIsSparksOwn() throws Exception {
    start(
        Map.of(
            "spark.sluice.fallback",
            "auto",
            HeapShuffleManager.REFUSAL,
            "QUOTA_EXCEEDED",
            HeapShuffleManager.REFUSED_PARTITIONS,
            "5",
            "spark.sql.adaptive.enabled",
            "false"));
    rows(2_000).repartition(5, col("k")).collectAsList();
    rows(2_000).repartition(6, col("k")).collectAsList();

    JsonNode page = json("", "sort=id");
    JsonNode refused = page.get("shuffles").get(1);
    assertThat(refused.get("local").asBoolean()).isTrue();
    assertThat(refused.get("decided").asText()).isEqualTo("refused");
    assertThat(refused.get("reason").asText()).contains("the heap has no place for 5 partitions");
    assertThat(refused.get("servers").asInt()).isZero();
    assertThat(refused.get("bytesWritten").asLong())
        .isEqualTo(stages.written(0)[0])
        .isEqualTo(page.get("totals").get("bytesWrittenLocally").asLong())
        .isPositive();
    assertThat(page.get("totals").get("bytesWritten").asLong())
        .isEqualTo(stages.written(1)[0])
        .isPositive();
    assertThat(page.get("decided").get("refused").asInt()).isEqualTo(1);
    assertThat(page.get("decided").get("placed").asInt()).isEqualTo(1);
    assertThat(get("sluice/").body())
        .contains("Spark&#39;s own (refused): the coordinators refuse it: QUOTA_EXCEEDED");
    assertThat(get("sluice/shuffle/?id=0").body())
        .contains("Because (refused)")
        .doesNotContain("<h4>Servers</h4>");
  }

  @Test
  void countsWhatRanAgainAndKeepsWhatIsRemoved() throws Exception {
    start(Map.of());
    JavaPairRDD<Integer, Integer> shuffled =
        new JavaSparkContext(spark().sparkContext())
            .parallelize(IntStream.range(0, 600).boxed().toList(), 12)
            .mapToPair(number -> new Tuple2<>(number, number))
            .repartition(6);
    assertThat(shuffled.count()).isEqualTo(600);
    IntStream.range(2, 9).forEach(map -> HeapShuffleManager.currentStore().lose(0, map));
    assertThat(shuffled.count()).isEqualTo(600);

    JsonNode before = json("").get("shuffles").get(0);
    assertThat(before.get("mapsAgain").asInt()).isEqualTo(7);
    assertThat(before.get("fetchFailures").asInt()).isPositive();
    assertThat(before.get("stageRetries").asInt()).isEqualTo(1);
    assertThat(before.get("maps").asInt()).isEqualTo(12);
    assertThat(before.get("recordsWritten").asLong()).isEqualTo(600 + 7 * 50);
    assertThat(before.get("moves").asInt()).isZero();

    spark().sparkContext().cleaner().get().doCleanupShuffle(0, true);

    JsonNode after = json("").get("shuffles").get(0);
    Map<String, String> differences = new TreeMap<>();
    before
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!before.get(name).equals(after.get(name))) {
                differences.put(name, String.valueOf(after.get(name)));
              }
            });
    assertThat(differences).containsExactly(entry("registered", "false"));
    assertThat(get("sluice/shuffle/?id=0").body()).contains("removed").contains("Median");
  }

  private Dataset<Row> rows(long count) {
    return spark()
        .range(0, count, 1, 4)
        .selectExpr("id * 7919 % 10007 as k", "id % 17 as g", "sha2(string(id), 256) as s")
        .repartition(3);
  }

  private JsonNode json(String page, String... query) throws Exception {
    HttpResponse<String> answer =
        get("sluice/" + page + "json/" + (query.length == 0 ? "" : "?" + query[0]));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private HttpResponse<String> get(String path) throws Exception {
    spark().sparkContext().listenerBus().waitUntilEmpty(DEADLINE.toMillis());
    String url = spark().sparkContext().uiWebUrl().get() + "/" + path;
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(DEADLINE).build();
    return client.send(request, BodyHandlers.ofString());
  }
}
