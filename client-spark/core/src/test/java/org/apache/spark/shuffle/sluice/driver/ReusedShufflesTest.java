package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
  private final ReusedShuffles reused = new ReusedShuffles(routing, shuffles, clock);
  private final List<Integer> placedAgain = new ArrayList<>();

  @BeforeEach
  void place() throws InterruptedException {
    shuffles.add(SHUFFLE, dependency, routing.place(SHUFFLE, PARTITIONS));
  }

  @AfterEach
  void stop() {
    spark.stop();
  }

  @Test
  void whereTheyWereWhileTheyWereNot() {
    FixedPlacement first = Objects.requireNonNull(placement());

    assertThat(placement()).isSameAs(first);
    assertThat(placedAgain).isEmpty();
    assertThat(coordinators.asked).hasSize(1);
  }

  @Test
  void elsewhereOnceAndKnownAsAnyOther() {
    FixedPlacement first = Objects.requireNonNull(placement());
    reused.remove(SHUFFLE);
    assertThat(routes.registered()).isEmpty();

    FixedPlacement second = Objects.requireNonNull(placement());

    assertThat(second.partitions()).isEqualTo(PARTITIONS);
    assertThat(second.shuffle()).isNotEqualTo(first.shuffle());
    assertThat(placement()).isSameAs(second);
    assertThat(placedAgain).containsExactly(SHUFFLE);
    assertThat(routes.registered()).hasSize(1);

    reused.remove(SHUFFLE);
    assertThat(coordinators.removed).containsExactly(first.shuffle(), second.shuffle());
    assertThat(routes.registered()).isEmpty();
  }

  /** All jobs of the driver wait meanwhile, and hardly any needs it. */
  @Test
  void nowhereForAWhileIfCoordinatorsWereWaitedForInVain() {
    reused.remove(SHUFFLE);
    coordinators.failure = new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "nobody there");
    assertThat(placement()).isNull();
    int asked = coordinators.asked.size();
    coordinators.failure = null;

    clock.pass(Duration.ofSeconds(99));
    assertThat(placement()).isNull();
    assertThat(coordinators.asked).hasSize(asked);

    clock.pass(Duration.ofSeconds(1));
    assertThat(placement()).isNotNull();
  }

  private @Nullable FixedPlacement placement() {
    return reused.placementOf(SHUFFLE, dependency, placedAgain::add);
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
