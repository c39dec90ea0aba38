package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.shuffle.sluice.config.FallbackPolicy;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FallbackTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Coordinators coordinators = new Coordinators();
  private final ManualClock clock = new ManualClock();

  @Test
  void whatCoordinatorsPlaceGoesThroughSluiceWhateverThePolicy() {
    for (FallbackPolicy policy : List.of(FallbackPolicy.NEVER, FallbackPolicy.AUTO)) {
      Fallback.Decision decision = fallback(policy, 0).decide(3, 20);
      assertThat(decision.route().why()).isEqualTo(Why.PLACED);
      assertThat(decision.route().isLocal()).isFalse();
      FixedPlacement placement = decision.placement();
      assertThat(placement).isNotNull();
      assertThat(placement.partitions()).isEqualTo(20);
    }
  }

  @Test
  void neverFailsWithTheReasonAndAsksAgain() {
    Fallback never = fallback(FallbackPolicy.NEVER, 0);
    coordinators.failure = new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "nobody there");
    for (int shuffle = 0; shuffle < 2; shuffle++) {
      int id = shuffle;
      assertThatThrownBy(() -> never.decide(id, 20)).isSameAs(coordinators.failure);
    }
    assertThat(coordinators.asked).containsExactly(0, 1);
  }

  @Test
  void aRefusalIsToldInTheCoordinatorsWordsAndTheNextShuffleAsksAgain() {
    Fallback auto = fallback(FallbackPolicy.AUTO, 0);
    coordinators.failure =
        new SluiceException(ErrorCode.QUOTA_EXCEEDED, "user 'ada' has 9 and wants 20");

    Fallback.Decision refused = auto.decide(1, 20);
    assertThat(refused.placement()).isNull();
    assertThat(refused.route().why()).isEqualTo(Why.REFUSED);
    assertThat(refused.route().reason())
        .isEqualTo("the coordinators refuse it: QUOTA_EXCEEDED: user 'ada' has 9 and wants 20");

    coordinators.failure = null;
    assertThat(auto.decide(2, 20).route().isLocal()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"COORDINATOR_UNAVAILABLE", "CLUSTER_FULL", "NO_SERVERS"})
  void afterAWaitInVainNoShuffleWaitsForTenTimesAsLong(ErrorCode code) {
    Fallback auto = fallback(FallbackPolicy.AUTO, 0);
    coordinators.failure = new SluiceException(code, "in vain");
    Why why = code == ErrorCode.COORDINATOR_UNAVAILABLE ? Why.UNREACHABLE : Why.REFUSED;
    assertThat(auto.decide(1, 20).route().why()).isEqualTo(why);

    coordinators.failure = null;
    clock.pass(PATIENCE.multipliedBy(10).minusSeconds(7));
    ShuffleRoute second = auto.decide(2, 20).route();
    assertThat(second.why()).isEqualTo(why);
    assertThat(second.reason()).contains("in 7 s", "shuffle 1", code + ": in vain");
    assertThat(coordinators.asked).containsExactly(1);

    clock.pass(Duration.ofSeconds(7));
    assertThat(auto.decide(3, 20).route().isLocal()).isFalse();
    assertThat(auto.decide(4, 20).route().isLocal()).isFalse();
    assertThat(coordinators.asked).containsExactly(1, 3, 4);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "INVALID_CONFIGURATION",
        "INVALID_ARGUMENT",
        "AUTHENTICATION_FAILED",
        "UNSUPPORTED_VERSION",
        "CANCELLED",
        "SHUTTING_DOWN",
        "APPLICATION_ENDED"
      })
  void mistakesAndEndsAreNotGlossedOver(ErrorCode code) {
    Fallback auto = fallback(FallbackPolicy.AUTO, 0);
    coordinators.failure = new SluiceException(code, "no");
    assertThatThrownBy(() -> auto.decide(1, 20)).isSameAs(coordinators.failure);
  }

  @Test
  void whoIsNotLetInFallsBack() {
    assertThat(Fallback.why(ErrorCode.ACCESS_DENIED)).isEqualTo(Optional.of(Why.REFUSED));
    assertThat(Fallback.why(ErrorCode.TIMED_OUT)).isEqualTo(Optional.of(Why.UNREACHABLE));
    assertThat(Fallback.why(ErrorCode.CORRUPT_CATALOG)).isEmpty();
  }

  @Test
  void fewPartitionsAreLocalWithoutAQuestion() {
    Fallback auto = fallback(FallbackPolicy.AUTO, 8);
    ShuffleRoute few = auto.decide(1, 7).route();
    assertThat(few.why()).isEqualTo(Why.FEW_PARTITIONS);
    assertThat(few.reason()).contains("fewer than the 8 partitions");
    assertThat(auto.decide(2, 8).route().isLocal()).isFalse();
    assertThat(coordinators.asked).containsExactly(2);
  }

  @Test
  void routesAreCountedWhileTheyAreRegisteredAndKeptForAWhile() {
    ShuffleRoutes routes = new ShuffleRoutes();
    routes.add(ShuffleRoute.placed(1, 5));
    routes.add(ShuffleRoute.local(2, 6, Why.REFUSED, "why"));
    assertThat(routes.local()).isEqualTo(1);
    assertThat(routes.registered()).extracting(ShuffleRoute::shuffleId).containsExactly(1, 2);
    assertThat(routes.registered().get(1)).hasToString("shuffle 2 of 6 partitions: refused, why");

    routes.remove(1);
    routes.remove(7);
    assertThat(routes.local()).isEqualTo(1);
    routes.remove(2);
    routes.remove(2);
    assertThat(routes.local()).isZero();
    assertThat(routes.registered()).isEmpty();
    assertThat(routes.ended()).extracting(ShuffleRoute::shuffleId).containsExactly(1, 2);
    assertThat(routes.decided(Why.PLACED)).isEqualTo(1);
    assertThat(routes.decided(Why.REFUSED)).isEqualTo(1);
    assertThat(routes.decided(Why.ALWAYS)).isZero();

    for (int shuffle = 3; shuffle < 3 + ShuffleRoutes.ENDED_MAX; shuffle++) {
      routes.add(ShuffleRoute.placed(shuffle, 1));
      routes.remove(shuffle);
    }
    assertThat(routes.ended()).hasSize(ShuffleRoutes.ENDED_MAX);
    assertThat(routes.ended().get(0).shuffleId()).isEqualTo(3);
  }

  @Test
  void metricsFollow() {
    ShuffleRoutes routes = new ShuffleRoutes();
    RouteMetrics metrics = new RouteMetrics(routes);
    routes.add(ShuffleRoute.local(2, 6, Why.FEW_PARTITIONS, "why"));
    assertThat(metrics.sourceName()).isEqualTo("sluice");
    assertThat(value(metrics, "localShuffles")).isEqualTo(1);
    assertThat(value(metrics, "decided.few-partitions")).isEqualTo(1L);
    assertThat(value(metrics, "decided.placed")).isEqualTo(0L);
    routes.remove(2);
    assertThat(value(metrics, "localShuffles")).isEqualTo(0);
  }

  private static Object value(RouteMetrics metrics, String name) {
    return Objects.requireNonNull(metrics.metricRegistry().getGauges().get(name)).getValue();
  }

  private Fallback fallback(FallbackPolicy policy, int fewPartitions) {
    return new Fallback(coordinators, policy, fewPartitions, PATIENCE, clock);
  }
}
