package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.status;
import static org.apache.spark.shuffle.sluice.driver.MapOutputs.SHUFFLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.junit.jupiter.api.Test;

/** Which winners Spark is made to forget, and which it keeps because they are on disks. */
class LossHandlingTest extends ServerLostInMapPhase {
  @Test
  void forgetsThoseThatTheDeadServerHadBlocksOf() {
    handling.changed(status(0, State.LOST));
    assertThat(outputs.registered()).containsExactly(2, 3);
  }

  @Test
  void forgetsNothingMoreWhenReadersWereFirst() {
    outputs.tracker.unregisterMapOutput(SHUFFLE, 0, MapLocation.of(SHUFFLE, 0, 100, 0, 0));
    outputs.tracker.unregisterMapOutput(SHUFFLE, 1, MapLocation.of(SHUFFLE, 1, 101, 0, 0));
    outputs.register(0, 200, MapLocation.of(SHUFFLE, 0, 200, 1, 1));
    long before = outputs.tracker.getEpoch();

    handling.changed(status(0, State.LOST));
    handling.onStageCompleted(completed());

    assertThat(outputs.registered()).containsExactly(0, 2, 3);
    assertThat(outputs.tracker.getEpoch()).as("Spark's epoch").isEqualTo(before);
  }

  /** It is Spark's scheduler that forgets, between two of its steps. */
  @Test
  void nothingIsForgottenInTheMiddleOfAStepOfTheScheduler() {
    spark.stall();
    handling.changed(status(0, State.LOST));
    assertThat(leftWhenSettled(SHUFFLE))
        .as("nobody waits")
        .isCompletedWithValue(List.of(0, 1, 2, 3));

    spark.go();
    assertThat(outputs.registered()).containsExactly(2, 3);
  }

  @Test
  void findsWinnersThatRegisterLateWhenTheirStageEnds() {
    handling.changed(status(0, State.LOST));
    outputs.register(4, 104, ranMeanwhile(4, 104, 0, 1, 2));
    outputs.register(0, 200, ranMeanwhile(0, 200, 1, 2));

    handling.onStageCompleted(completed());

    assertThat(outputs.registered()).containsExactly(0, 2, 3);
  }

  /** All of a barrier stage run again, or none; and none while it runs. */
  @Test
  void aBarrierStageThatRunsIsLookedAtAgainWhenItEnds() {
    LossHandling barrier =
        new LossHandling(
            servers,
            shuffles,
            new RegisteredOutputs(outputs.tracker, spark, shuffle -> true),
            this::storedMaps,
            scheduler);
    barrier.changed(status(0, State.LOST));
    assertThat(outputs.registered()).containsExactly(0, 1, 2, 3);

    outputs.register(4, 104, ranMeanwhile(4, 104, 1, 2));
    barrier.onStageCompleted(completed());
    assertThat(outputs.registered()).isEmpty();
  }

  /** Server 0 was killed and is back; map 0 is whole on its disks, map 1 is not. */
  @Test
  void keepsWhatIsWholeOnTheDisksOfAServerThatIsBack() {
    handling.changed(back());
    assertThat(asked).as("as it is now").containsExactly(back().server());
    assertThat(outputs.registered()).as("until it has said").containsExactly(0, 1, 2, 3);
    handling.onStageCompleted(completed());

    onDisk.complete(whole(0, 100));
    assertThat(outputs.registered()).containsExactly(0, 2, 3);

    outputs.register(4, 104, ranMeanwhile(4, 104, 0, 1, 2));
    handling.onStageCompleted(completed());
    assertThat(outputs.registered()).as("a late winner").containsExactly(0, 2, 3);
    assertThat(asked).as("asked once").hasSize(1);
  }

  /** It may have come without a disk. */
  @Test
  void aServerThatIsKilledOnceMoreIsAskedOnceMore() {
    handling.changed(back());
    onDisk.complete(whole(0, 100));
    assertThat(outputs.registered()).containsExactly(0, 2, 3);

    onDisk = new CompletableFuture<>();
    PlacedServer third = new PlacedServer(server(0).id(), 3, server(0).host(), server(0).port());
    handling.changed(new ServerStatus(third, State.ACTIVE, 3, 2, 1));
    assertThat(asked).containsExactly(back().server(), third);
    onDisk.complete(StoredMaps.NONE);
    assertThat(outputs.registered()).containsExactly(2, 3);
  }

  @Test
  void anotherAttemptOnTheDisksIsNotTheWinner() {
    handling.changed(back());
    onDisk.complete(whole(0, 99));
    assertThat(outputs.registered()).containsExactly(2, 3);
  }

  @Test
  void aServerThatIsBackAndDoesNotSayHasNothing() {
    handling.changed(back());
    onDisk.completeExceptionally(new SluiceException(ErrorCode.TIMED_OUT, "said the test"));
    assertThat(outputs.registered()).containsExactly(2, 3);
  }

  @Test
  void aServerThatIsGivenUpBeforeItHasSaidIsNotWaitedFor() {
    handling.changed(back());
    handling.changed(new ServerStatus(back().server(), State.LOST, 2, 2, 1));
    assertThat(outputs.registered()).containsExactly(2, 3);
    onDisk.complete(whole(0, 100));
    assertThat(outputs.registered()).containsExactly(2, 3);
  }

  @Test
  void nobodyIsAskedAboutShufflesThatHaveNothingThere() {
    outputs.tracker.unregisterMapOutput(SHUFFLE, 0, MapLocation.of(SHUFFLE, 0, 100, 0, 0));
    outputs.tracker.unregisterMapOutput(SHUFFLE, 1, MapLocation.of(SHUFFLE, 1, 101, 0, 0));
    handling.changed(back());
    assertThat(asked).isEmpty();
  }

  @Test
  void isSettledWhenWhatWasLostIsKnownAndForgotten() {
    assertThat(leftWhenSettled(SHUFFLE)).isCompletedWithValue(List.of(0, 1, 2, 3));
    handling.changed(back());
    CompletionStage<List<Integer>> left = leftWhenSettled(SHUFFLE);
    assertThat(leftWhenSettled(SHUFFLE + 1)).as("another shuffle").isCompleted();
    assertThat(left).isNotCompleted();

    onDisk.complete(whole(0, 100));
    assertThat(left).isCompletedWithValue(List.of(0, 2, 3));
    assertThat(leftWhenSettled(SHUFFLE)).isCompleted();
  }
}
