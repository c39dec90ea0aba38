package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.MapOutputs.SHUFFLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.junit.jupiter.api.Test;

/** What a server that is back says it has on its disks, when readers find that it has not. */
class DisprovedServersTest extends ServerLostInMapPhase {
  /** Maps 0 and 1 are whole on the disks of server 0, it says; but blocks of map 0 are damaged. */
  @Test
  void whatWasKeptForAWordThatWasWrongTwiceIsForgotten() {
    keepBoth();
    handling.lost(missing(0, 100, 0));
    assertThat(asked).as("once more").hasSize(2);
    assertThat(outputs.registered()).as("as it said before").containsExactly(0, 1, 2, 3);
    outputs.tracker.unregisterMapOutput(SHUFFLE, 0, MapLocation.of(SHUFFLE, 0, 100, 0, 0));
    handling.lost(missing(0, 100, 0));
    assertThat(outputs.registered()).as("another reader of it").containsExactly(1, 2, 3);

    handling.lost(missing(1, 101, 0));
    assertThat(outputs.registered()).containsExactly(2, 3);
    long before = outputs.tracker.getEpoch();
    handling.lost(missing(0, 100, 0));
    handling.lost(missing(1, 101, 0));
    assertThat(outputs.tracker.getEpoch()).as("Spark's epoch, reported late").isEqualTo(before);
    assertThat(asked).as("not asked again").hasSize(2);
  }

  /** One of its disks failed after it had told of it. */
  @Test
  void aServerThatWasWrongIsBelievedWhatItSaysWhenAskedOnceMore() {
    keepBoth();
    onDisk = new CompletableFuture<>();
    handling.lost(missing(0, 100, 0));
    CompletionStage<List<Integer>> left = leftWhenSettled(SHUFFLE);
    handling.lost(missing(0, 100, 0));
    assertThat(left).as("what readers wait for").isNotCompleted();
    assertThat(outputs.registered()).containsExactly(0, 1, 2, 3);
    assertThat(asked).containsExactly(back().server(), back().server());

    onDisk.complete(whole(1, 101));
    assertThat(left).isCompletedWithValue(List.of(1, 2, 3));
  }

  /** Two tasks read at the same time as the first that reported, and each met another block. */
  @Test
  void reportsThatCameBeforeItWasAskedOnceMoreDisproveNoSecondWord() {
    keepBoth();
    CompletableFuture<StoredMaps> onceMore = new CompletableFuture<>();
    StoredMaps.Builder both = new StoredMaps.Builder();
    both.add(0, 100, 1);
    both.add(1, 101, 1);
    onDisk = onceMore;
    handling.lost(missing(0, 100, 0));
    List<MissingMaps> queued = List.of(missing(1, 101, 0), missing(0, 100, 0));
    queued.forEach(one -> handling.whenSettled(SHUFFLE, () -> handling.lost(one)));
    MissingMaps late = missing(1, 101, 0);

    onceMore.complete(both.build());
    handling.lost(late);
    assertThat(outputs.registered()).containsExactly(0, 1, 2, 3);
    assertThat(asked).as("once more").hasSize(2);
    handling.lost(missing(1, 101, 0));
    assertThat(outputs.registered()).as("met after that answer").containsExactly(2, 3);
  }

  @Test
  void aServerThatDoesNotAnswerOnceMoreHasNothing() {
    keepBoth();
    onDisk = new CompletableFuture<>();
    handling.lost(missing(0, 100, 0));
    onDisk.completeExceptionally(new SluiceException(ErrorCode.TIMED_OUT, "says the test"));
    assertThat(outputs.registered()).containsExactly(2, 3);
  }

  @Test
  void aWrongWordIsNotBelievedOfLateWinnersEither() {
    StoredMaps.Builder maps = new StoredMaps.Builder();
    maps.add(0, 100, 1);
    maps.add(1, 101, 1);
    maps.add(4, 104, 1);
    handling.changed(back());
    onDisk.complete(maps.build());
    handling.lost(missing(0, 100, 0));
    handling.lost(missing(0, 100, 0));
    outputs.register(0, 200, MapLocation.of(SHUFFLE, 0, 200, 1, 1));
    outputs.register(4, 104, MapLocation.of(SHUFFLE, 4, 104, 0, 0));

    handling.onStageCompleted(completed());
    assertThat(outputs.registered()).containsExactly(0, 2, 3);
    handling.lost(missing(0, 100, 0));
    assertThat(outputs.registered()).as("the later attempt").containsExactly(0, 2, 3);
  }

  /** It says nothing of server 0 that server 1 lacks something, or that nobody reached server 0. */
  @Test
  void aServerIsBelievedWhileNobodyMissesWhatItSaysItHas() {
    keepBoth();
    handling.lost(missing(0, 100, 1));
    handling.lost(missing(0, 99, 0));
    handling.lost(missing(2, 102, 0));
    handling.lost(
        missing(0, 100, 0, Complaint.ofServer(back().server(), ErrorCode.CONNECTION_LOST)));
    assertThat(asked).hasSize(1);
    assertThat(outputs.registered()).containsExactly(0, 1, 2, 3);
  }

  /** Readers of its second life reported map 1 before it had said that map 1 is not whole. */
  @Test
  void aReportOfWhatWasNeverKeptDisprovesNobody() {
    handling.changed(back());
    MissingMaps early = missing(1, 101, 0);
    handling.whenSettled(SHUFFLE, () -> handling.lost(early));
    onDisk.complete(whole(0, 100));
    assertThat(outputs.registered()).containsExactly(0, 2, 3);
  }

  @Test
  void aWrongWordCountsUntilTheServerComesBackOnceMore() {
    keepBoth();
    handling.lost(missing(0, 100, 0));
    handling.lost(missing(0, 100, 0));
    outputs.register(1, 101, MapLocation.of(SHUFFLE, 1, 101, 0, 0));
    onDisk = CompletableFuture.completedFuture(whole(1, 101));
    PlacedServer third = new PlacedServer(server(0).id(), 3, server(0).host(), server(0).port());
    handling.changed(new ServerStatus(third, State.ACTIVE, 3, 2, 1));
    assertThat(asked).containsExactly(back().server(), back().server(), third);
    assertThat(outputs.registered()).containsExactly(1, 2, 3);
  }

  /** Two tasks miss map 0, and report it when the server has said once more that it is there. */
  @Test
  void aReportOfWhatTheSchedulerIsToldToForgetDisprovesNobody() {
    RegisteredOutputs registered = new RegisteredOutputs(outputs.tracker, spark, shuffle -> false);
    LossHandling told =
        new LossHandling(servers, shuffles, registered, this::storedMaps, scheduler);
    keepBoth(told);
    told.lost(missing(0, 100, 0).withArrival(told.arrival()));
    assertThat(told.arrival()).as("answers to a second question").isEqualTo(1);

    spark.stall();
    registered.forget(
        SHUFFLE,
        RegisteredOutput.of(missing(0, 100, 0).maps(), registered.of(SHUFFLE).orElseThrow()));
    told.lost(missing(0, 100, 0).withArrival(told.arrival()));
    spark.go();
    assertThat(outputs.registered()).containsExactly(1, 2, 3);
  }

  private void keepBoth() {
    keepBoth(handling);
  }

  private void keepBoth(LossHandling handling) {
    StoredMaps.Builder maps = new StoredMaps.Builder();
    maps.add(0, 100, 1);
    maps.add(1, 101, 1);
    handling.changed(back());
    onDisk.complete(maps.build());
    assertThat(outputs.registered()).containsExactly(0, 1, 2, 3);
  }

  /** As a report that comes now. */
  private MissingMaps missing(int map, long attempt, int partition, Complaint... complaints) {
    return new MissingMaps(
            SHUFFLE,
            List.of(new MissingMap(map, attempt, partition)),
            List.of(complaints),
            "says the test",
            true)
        .withArrival(handling.arrival());
  }
}
