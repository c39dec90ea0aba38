package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.sluice.LocalSpark;
import org.apache.spark.shuffle.sluice.config.FallbackPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.Tuple2;

/** Where shuffles lie that were removed and are used again. */
class ReusedShufflesTest {
  private static final int SHUFFLE = 3;
  private static final int PARTITIONS = 5;

  private final SparkContext spark = LocalSpark.start();
  private final ShuffleDependency<?, ?, ?> dependency = dependency();
  private final Coordinators coordinators = new Coordinators();
  private final ManualClock clock = new ManualClock();
  private final ShuffleRoutes routes = new ShuffleRoutes();
  private final ShuffleRouting routing =
      new ShuffleRouting(
          coordinators,
          new Fallback(coordinators, FallbackPolicy.NEVER, 0, Duration.ofSeconds(30), clock),
          routes);
  private final RegisteredShuffles shuffles =
      new RegisteredShuffles(
          new LiveShuffles(new ServerBook(clock)),
          new ShuffleDependencies(),
          ShuffleRemovals.hearing(Option.empty()));
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final List<String> heard = new ArrayList<>();
  private final ReusedShuffles reused =
      new ReusedShuffles(routing, shuffles, Duration.ofSeconds(7), new Heard(), waiting::addLast);

  @BeforeEach
  void register() throws InterruptedException {
    shuffles.add(SHUFFLE, dependency, routing.place(SHUFFLE, PARTITIONS));
  }

  @AfterEach
  void stop() {
    spark.stop();
  }

  @Test
  void whereTheyWereWhileTheyWereNot() {
    FixedPlacement first = sent();

    assertThat(first).isNotNull();
    assertThat(sent()).isSameAs(first);
    assertThat(place()).isCompletedWithValue(first);
    assertThat(coordinators.asked).hasSize(1);
  }

  /** What was read of them may be cached, and jobs of all threads are sent on one. */
  @Test
  void nowhereAsLongAsNoTaskAsks() {
    reused.remove(SHUFFLE);

    assertThat(sent()).isNull();
    assertThat(waiting).isEmpty();
    assertThat(coordinators.asked).hasSize(1);
    assertThat(routes.registered()).isEmpty();
  }

  @Test
  void elsewhereOnceForAllWhoAskAndThenKnownAsAnyOther() {
    ShuffleKey first = Objects.requireNonNull(sent()).shuffle();
    reused.remove(SHUFFLE);
    assertThat(sent()).isNull();

    CompletableFuture<FixedPlacement> one = place();
    CompletableFuture<FixedPlacement> other = place();
    assertThat(one).isNotDone();
    runAll();

    FixedPlacement second = one.join();
    assertThat(other).isCompletedWithValue(second);
    assertThat(place()).isCompletedWithValue(second);
    assertThat(sent()).isSameAs(second);
    assertThat(second.partitions()).isEqualTo(PARTITIONS);
    assertThat(second.shuffle()).isNotEqualTo(first);
    assertThat(coordinators.patience).isEqualTo(Duration.ofSeconds(7));
    assertThat(heard).containsExactly("ending at " + first, "placed again");
    assertThat(routes.registered()).hasSize(1);
    assertThat(routes.ended()).isEmpty();

    reused.remove(SHUFFLE);
    assertThat(coordinators.removed).containsExactly(first, second.shuffle());
    assertThat(heard).endsWith("ending at " + second.shuffle()).hasSize(3);
    assertThat(routes.registered()).isEmpty();
    assertThat(routes.ended()).hasSize(1);
  }

  @Test
  void whoAsksAfterARefusalMakesAnotherAttempt() {
    reused.remove(SHUFFLE);
    assertThat(sent()).isNull();
    coordinators.failure = new SluiceException(ErrorCode.QUOTA_EXCEEDED, "too many");
    CompletableFuture<FixedPlacement> refused = place();
    runAll();
    assertThat(refused).isCompletedExceptionally();
    assertThat(code(refused)).isEqualTo(ErrorCode.QUOTA_EXCEEDED);

    coordinators.failure = null;
    CompletableFuture<FixedPlacement> placed = place();
    runAll();
    assertThat(placed).isCompleted();
  }

  @Test
  void thoseThatNoPlanKnowsAreUnknown() {
    CompletableFuture<FixedPlacement> unknown = reused.place(SHUFFLE + 1).toCompletableFuture();
    runAll();

    assertThat(code(unknown)).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
    assertThat(coordinators.asked).hasSize(1);
  }

  /** By its number alone coordinators' client would remove the one that is being placed. */
  @Test
  void oneThatIsRemovedAsItIsPlacedGoesOnceItIs() {
    reused.remove(SHUFFLE);
    assertThat(sent()).isNull();
    CompletableFuture<FixedPlacement> placed = place();
    reused.remove(SHUFFLE);
    assertThat(coordinators.removed).hasSize(1);
    runAll();

    assertThat(code(placed)).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
    assertThat(coordinators.removed).hasSize(2).doesNotHaveDuplicates();
    assertThat(routes.registered()).isEmpty();
    assertThat(heard).hasSize(1);

    CompletableFuture<FixedPlacement> next = place(); // The plan is known still.
    runAll();
    assertThat(next).isCompleted();
  }

  /** The removal has returned by then: it may be that of a job that comes after it. */
  @Test
  void whoAsksAfterSuchARemovalGetsTheNextPlace() {
    reused.remove(SHUFFLE);
    assertThat(sent()).isNull();
    CompletableFuture<FixedPlacement> removed = place();
    reused.remove(SHUFFLE);
    CompletableFuture<FixedPlacement> next = place();
    runAll();

    assertThat(code(removed)).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
    assertThat(next.join()).isSameAs(sent());
    assertThat(coordinators.removed).doesNotContain(next.join().shuffle());
  }

  /** A pool that is shut down drops what it has not begun. */
  @Test
  void nobodyWaitsOnceSparkStops() {
    reused.remove(SHUFFLE);
    assertThat(sent()).isNull();
    CompletableFuture<FixedPlacement> waits = place();
    reused.close();

    assertThat(code(waits)).isEqualTo(ErrorCode.SHUTTING_DOWN);
    assertThat(code(place())).isEqualTo(ErrorCode.SHUTTING_DOWN);
    assertThat(coordinators.asked).hasSize(1);
  }

  @Test
  void noneOfAPoolThatWasShutDown() {
    ReusedShuffles stopped =
        new ReusedShuffles(
            routing,
            shuffles,
            Duration.ofSeconds(7),
            new Heard(),
            task -> {
              throw new RejectedExecutionException("stopped");
            });
    stopped.remove(SHUFFLE);
    assertThat(stopped.sent(SHUFFLE, dependency)).isNull();

    for (int ask = 0; ask < 2; ask++) {
      assertThat(code(stopped.place(SHUFFLE).toCompletableFuture()))
          .isEqualTo(ErrorCode.SHUTTING_DOWN);
    }
  }

  private final class Heard implements ReusedShuffles.Listener {
    @Override
    public void placedAgain(int shuffleId) {
      heard.add("placed again");
    }

    @Override
    public void ending(int shuffleId) {
      heard.add("ending at " + Objects.requireNonNull(shuffles.newest(shuffleId)).shuffle());
    }
  }

  private @Nullable FixedPlacement sent() {
    return reused.sent(SHUFFLE, dependency);
  }

  private CompletableFuture<FixedPlacement> place() {
    return reused.place(SHUFFLE).toCompletableFuture();
  }

  private void runAll() {
    while (!waiting.isEmpty()) {
      waiting.removeFirst().run();
    }
  }

  private static ErrorCode code(CompletableFuture<FixedPlacement> failed) {
    return ((SluiceException) failed.handle((placement, refused) -> refused).join()).code();
  }

  private ShuffleDependency<?, ?, ?> dependency() {
    return (ShuffleDependency<?, ?, ?>)
        new JavaSparkContext(spark)
            .parallelize(List.of(1), 1)
            .mapToPair(number -> new Tuple2<>(number, number))
            .partitionBy(new HashPartitioner(PARTITIONS))
            .rdd()
            .dependencies()
            .apply(0);
  }
}
