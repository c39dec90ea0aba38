package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.MapOutputs.SHUFFLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two maps of three have ended. */
class RegisteredOutputsTest {
  private final MapOutputs spark = new MapOutputs(3);
  private final StalledLoop loop = new StalledLoop();
  private final Set<Integer> barriers = new HashSet<>();
  private final RegisteredOutputs outputs =
      new RegisteredOutputs(spark.tracker, loop, barriers::contains);

  @BeforeEach
  void registerMaps() {
    spark.register(0, 100, location(0, 100));
    spark.register(1, 101, location(1, 101));
  }

  @AfterEach
  void stop() {
    spark.close();
  }

  @Test
  void whatIsToBeForgottenIsRegisteredUntilTheSchedulerHasTimeAndCountsNoMore() {
    loop.stall();
    forget(0, 100);
    assertThat(spark.registered()).containsExactly(0, 1);
    assertThat(counted()).containsExactly(1);

    loop.go();
    assertThat(spark.registered()).containsExactly(1);
    assertThat(counted()).containsExactly(1);
  }

  @Test
  void theSchedulerIsAskedOnceForAllThatItIsToldMeanwhile() {
    loop.stall();
    forget(0, 100);
    forget(1, 101);
    forget(0, 100);
    outputs.forget(SHUFFLE, List.of());
    assertThat(loop.waiting()).isEqualTo(1);
    long before = spark.tracker.getEpoch();
    loop.go();
    assertThat(spark.registered()).isEmpty();
    assertThat(spark.tracker.getEpoch()).as("Spark's epoch").isEqualTo(before + 1);

    spark.register(0, 200, location(0, 200));
    forget(0, 200);
    assertThat(spark.registered()).as("asked again afterwards").isEmpty();
  }

  @Test
  void whatTheSchedulerWasNotToldIsToldAnew() {
    AtomicBoolean fails = new AtomicBoolean(true);
    RegisteredOutputs failing =
        new RegisteredOutputs(
            spark.tracker,
            task -> {
              if (fails.getAndSet(false)) {
                throw new IllegalStateException("says the test");
              }
              task.run();
            },
            barriers::contains);
    List<RegisteredOutput> lost = List.of(new RegisteredOutput(0, location(0, 100)));
    assertThatThrownBy(() -> failing.forget(SHUFFLE, lost))
        .isInstanceOf(IllegalStateException.class);
    assertThat(failing.of(SHUFFLE).orElseThrow()[0]).as("still there").isNotNull();

    failing.forget(SHUFFLE, lost);
    assertThat(spark.registered()).containsExactly(1);
  }

  @Test
  void whatAnotherAttemptHasRegisteredMeanwhileStays() {
    loop.stall();
    forget(0, 100);
    spark.register(0, 200, location(0, 200));
    assertThat(counted()).containsExactly(0, 1);
    long before = spark.tracker.getEpoch();

    loop.go();
    assertThat(spark.registered()).containsExactly(0, 1);
    assertThat(spark.tracker.getEpoch()).as("Spark's epoch").isEqualTo(before);
  }

  @Test
  void mapsThatTheSchedulerIsToForgetAreToComeAgain() {
    spark.register(2, 102, location(2, 102));
    assertThat(outputs.areToCome(SHUFFLE)).isFalse();
    loop.stall();
    forget(0, 100);
    assertThat(outputs.areToCome(SHUFFLE)).isTrue();
    loop.go();
    assertThat(outputs.areToCome(SHUFFLE)).isTrue();
  }

  @Test
  void whatIsNotThereKeepsNothingElse() {
    loop.stall();
    outputs.forget(SHUFFLE + 1, List.of(new RegisteredOutput(0, location(0, 100))));
    forget(2, 102);
    forget(7, 107);
    forget(0, 100);
    assertThat(counted()).containsExactly(1);

    loop.go();
    assertThat(spark.registered()).containsExactly(1);
  }

  @Test
  void ofABarrierStageThatHasEndedAllAreForgotten() {
    barriers.add(SHUFFLE);
    spark.register(2, 102, location(2, 102));
    forget(0, 99);
    assertThat(spark.registered()).as("an earlier attempt").containsExactly(0, 1, 2);

    forget(0, 100);
    assertThat(spark.registered()).isEmpty();
  }

  /** Else those that it has to come and those that are lost would run without the others. */
  @Test
  void ofABarrierStageThatRunsNoneIsForgottenBeforeItEnds() {
    barriers.add(SHUFFLE);
    forget(0, 100);
    assertThat(spark.registered()).containsExactly(0, 1);
    assertThat(counted()).containsExactly(0, 1);

    spark.register(2, 102, location(2, 102));
    forget(0, 100);
    assertThat(spark.registered()).isEmpty();
  }

  @Test
  void aShuffleThatSparkDoesNotHaveHasNone() {
    assertThat(outputs.of(SHUFFLE + 1)).isEmpty();
    assertThat(outputs.areToCome(SHUFFLE + 1)).isFalse();
  }

  private void forget(int map, long attempt) {
    outputs.forget(SHUFFLE, List.of(new RegisteredOutput(map, location(map, attempt))));
  }

  private List<Integer> counted() {
    MapStatus[] statuses = outputs.of(SHUFFLE).orElseThrow();
    List<Integer> maps = new ArrayList<>();
    for (int map = 0; map < statuses.length; map++) {
      if (statuses[map] != null) {
        maps.add(map);
      }
    }
    return maps;
  }

  private static BlockManagerId location(int map, long attempt) {
    return MapLocation.of(SHUFFLE, map, attempt, 0, 0);
  }
}
