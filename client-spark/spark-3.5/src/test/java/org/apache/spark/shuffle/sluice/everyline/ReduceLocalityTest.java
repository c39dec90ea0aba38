package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.TaskLocation;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Where map outputs are is made up, so no task may prefer such a place. */
class ReduceLocalityTest {
  private static final long DEADLINE_SECONDS = 120;

  /** Sorted merges are planned, and made joins with a broadcast when the sizes are known. */
  private static final Map<String, String> LOCAL_READS =
      Map.of(
          "spark.sql.autoBroadcastJoinThreshold", "-1",
          "spark.sql.adaptive.autoBroadcastJoinThreshold", "10m",
          "spark.sql.shuffle.partitions", "4",
          // Longer than a test may take.
          "spark.locality.wait", "1h");

  @Test
  @Timeout(DEADLINE_SECONDS)
  void aReducerOfFewMapsRunsAnywhere() {
    List<String> places =
        placesOf(
            spark ->
                new JavaSparkContext(spark.sparkContext())
                    .parallelize(List.of(1, 2, 3, 4), 2)
                    .mapToPair(number -> new Tuple2<>(number, number))
                    .groupByKey(2)
                    .collect());

    assertThat(places).isEmpty();
  }

  @Test
  @Timeout(DEADLINE_SECONDS)
  void aReaderOfSingleMapsRunsAnywhere() {
    List<String> places =
        placesOf(
            spark -> {
              Dataset<Row> joined = readByMaps(spark);
              assertThat(joined.collectAsList()).hasSize(10);
              assertThat(plan(joined)).contains("AQEShuffleRead local");
            });

    assertThat(places).isEmpty();
  }

  @Test
  @Timeout(DEADLINE_SECONDS)
  void suchAReaderDoesNotWaitBesideTasksThatHaveAPlace() {
    List<String> places =
        placesOf(
            spark -> {
              Dataset<Row> cached = spark.range(0, 1_000, 1, 2).toDF("k").cache();
              assertThat(cached.count()).isEqualTo(1_000);
              Dataset<Row> both = cached.union(readByMaps(spark));
              assertThat(both.collectAsList()).hasSize(1_010);
              assertThat(plan(both)).contains("AQEShuffleRead local");
            });

    assertThat(places).as("of the cached table alone").isNotEmpty().allMatch("127.0.0.1"::equals);
  }

  private static Dataset<Row> readByMaps(SparkSession spark) {
    Dataset<Row> many = spark.range(0, 20_000, 1, 5).toDF("k");
    Dataset<Row> few = spark.range(0, 20_000, 1, 2).toDF("k").where("k % 2000 = 7");
    return many.join(few, "k").select(col("k"));
  }

  /** Datasets of 4.x have it in a subclass. */
  private static String plan(Dataset<Row> rows) {
    try {
      return rows.getClass().getMethod("queryExecution").invoke(rows).toString();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no plan", e);
    }
  }

  /** What the tasks of a job prefer, as Spark tells its scheduler and who asks for executors. */
  private static List<String> placesOf(Job job) {
    Places places = new Places();
    return SparkSide.throughHeap(
        LOCAL_READS,
        spark -> {
          spark.sparkContext().addSparkListener(places);
          job.run(spark);
          try {
            spark.sparkContext().listenerBus().waitUntilEmpty(DEADLINE_SECONDS * 1_000);
          } catch (TimeoutException e) {
            throw new AssertionError(e);
          }
          return places.hosts;
        });
  }

  private interface Job {
    void run(SparkSession spark);
  }

  private static final class Places extends SparkListener {
    private final List<String> hosts = new CopyOnWriteArrayList<>();

    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
      Iterator<? extends Seq<TaskLocation>> tasks =
          submitted.stageInfo().taskLocalityPreferences().iterator();
      while (tasks.hasNext()) {
        Iterator<TaskLocation> places = tasks.next().iterator();
        while (places.hasNext()) {
          hosts.add(places.next().host());
        }
      }
    }
  }
}
