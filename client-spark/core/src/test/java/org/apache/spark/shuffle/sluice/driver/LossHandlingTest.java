package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.status;
import static org.apache.spark.shuffle.sluice.driver.MapOutputs.SHUFFLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.shuffle.sluice.handle.EpochRequest;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.immutable.List$;

/**
 * Which winners Spark is made to forget when server 0 dies in the middle of a map stage: maps 0 and
 * 1 had ended, 2 and 3 ran and went on in an epoch without it.
 */
class LossHandlingTest {
  private static final int MAPS = 5;

  private final MapOutputs outputs = new MapOutputs(MAPS);
  private final SteppedScheduler scheduler = new SteppedScheduler();
  private final ServerBook servers = new ServerBook(scheduler.clock());
  private final LiveShuffles shuffles = new LiveShuffles(servers);
  private final List<PlacedServer> asked = new ArrayList<>();
  private CompletableFuture<StoredMaps> onDisk = new CompletableFuture<>();
  private final StalledLoop spark = new StalledLoop();
  private final LossHandling handling =
      new LossHandling(
          servers,
          shuffles,
          new RegisteredOutputs(outputs.tracker, spark, shuffle -> false),
          this::storedMaps,
          scheduler);

  @BeforeEach
  void killAServerInTheMapPhase() {
    handling.snapshot(
        List.of(status(0, State.ACTIVE), status(1, State.ACTIVE), status(2, State.ACTIVE)));
    shuffles.add(
        FixedPlacement.of(
            new ShuffleKey(ApplicationId.of(1, 1), SHUFFLE, 0),
            2,
            List.of(server(0), server(1)),
            1,
            new int[] {0, 1}));
    outputs.register(0, 100, MapLocation.of(SHUFFLE, 0, 100, 0, 0));
    outputs.register(1, 101, MapLocation.of(SHUFFLE, 1, 101, 0, 0));
    Complaint dead = Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED);
    FixedPlacement moved = shuffles.atLeast(new EpochRequest(SHUFFLE, 0, 2, List.of(dead)));
    assertThat(moved.servers()).containsExactly(server(0), server(1), server(2));
    outputs.register(2, 102, ranMeanwhile(2, 102, 1, 2));
    outputs.register(3, 103, ranMeanwhile(3, 103, 1, 2));
  }

  private CompletionStage<StoredMaps> storedMaps(PlacedServer server, ShuffleKey shuffle) {
    assertThat(shuffle).isEqualTo(newest().shuffle());
    asked.add(server);
    return onDisk;
  }

  @AfterEach
  void stop() {
    outputs.close();
  }

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
    registered.forget(SHUFFLE, RegisteredOutput.of(missing(0, 100, 0)));
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
            List.of(MapLocation.of(SHUFFLE, map, attempt, 0, 0)),
            List.of(complaints),
            "says the test",
            true)
        .withArrival(handling.arrival());
  }

  /** Its data port answers readers before the coordinator's news are here. */
  @Test
  void aReportOfALifeThatIsNotKnownYetWaitsForTheNews() {
    List<List<Integer>> answers = new ArrayList<>();
    List<PlacedServer> met = List.of(back().server());
    handling.whenKnown(met, () -> answers.add(outputs.registered()));
    handling.whenKnown(List.of(server(1)), () -> answers.add(List.of()));
    assertThat(answers).as("of one that is known").containsExactly(List.of());

    onDisk.complete(whole(0, 100));
    handling.changed(back());
    assertThat(answers).containsExactly(List.of(), List.of(0, 2, 3));
    handling.whenKnown(met, () -> answers.add(List.of(7)));
    scheduler.pass(Duration.ofSeconds(10));
    assertThat(answers).as("each once").containsExactly(List.of(), List.of(0, 2, 3), List.of(7));
  }

  /** The news are in the book, and what was lost is still to be dealt with. */
  @Test
  void aReportOfALifeThatHasJustBecomeKnownIsAnsweredWhenItsLossesAreDealtWith() {
    List<List<Integer>> answers = new ArrayList<>();
    onDisk.complete(whole(0, 100));
    scheduler.together(
        () -> {
          handling.whenKnown(List.of(back().server()), () -> answers.add(outputs.registered()));
          handling.changed(back());
        });
    assertThat(answers).containsExactly(List.of(0, 2, 3));
  }

  @Test
  void aReportThatCannotBeAnsweredKeepsNoOtherAndLeavesNoDeadline() {
    List<List<Integer>> answers = new ArrayList<>();
    List<PlacedServer> met = List.of(back().server());
    int others = scheduler.waiting();
    handling.whenKnown(
        met,
        () -> {
          throw new IllegalStateException("says the test");
        });
    scheduler.pass(Duration.ofSeconds(1));
    handling.whenKnown(met, () -> answers.add(outputs.registered()));
    assertThat(scheduler.waiting()).isEqualTo(others + 2);

    onDisk.complete(whole(0, 100));
    handling.changed(back());
    assertThat(answers).containsExactly(List.of(0, 2, 3));
    assertThat(scheduler.waiting()).isEqualTo(others);
  }

  @Test
  void aReportOfALifeThatNobodyTellsOfWaitsForSecondsOnly() {
    List<List<Integer>> answers = new ArrayList<>();
    handling.whenKnown(List.of(back().server()), () -> answers.add(outputs.registered()));
    handling.changed(status(1, State.ACTIVE));
    scheduler.pass(Duration.ofSeconds(4));
    assertThat(answers).isEmpty();
    scheduler.pass(Duration.ofSeconds(1));
    assertThat(answers).containsExactly(List.of(0, 1, 2, 3));
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

  private CompletionStage<List<Integer>> leftWhenSettled(int shuffle) {
    CompletableFuture<List<Integer>> left = new CompletableFuture<>();
    handling.whenSettled(shuffle, () -> left.complete(outputs.registered()));
    return left;
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

  /** In its second life, which kept nothing that was only in memory. */
  private static ServerStatus back() {
    PlacedServer first = server(0);
    PlacedServer second = new PlacedServer(first.id(), 2, first.host(), first.port());
    return new ServerStatus(second, State.ACTIVE, 2, 1, 1);
  }

  /** In one partition, which is all that server 0 has of a map. */
  private static StoredMaps whole(int map, long attempt) {
    StoredMaps.Builder maps = new StoredMaps.Builder();
    maps.add(map, attempt, 1);
    return maps.build();
  }

  /** Server 2 leaves a shuffle of two replicas with no other to go to, and comes back. */
  @Test
  void setsGrowAgainAsSoonAsAServerIsBackWhileMapsAreToCome() {
    shuffles.add(replicated());
    handling.changed(status(2, State.RESTARTING));
    shuffles.leave(SHUFFLE, List.of());
    assertThat(newest().epochs()).isEqualTo(2);
    assertThat(newest().replicas(1)).isEqualTo(1);

    handling.changed(status(2, State.ACTIVE));
    assertThat(newest().epochs()).isEqualTo(3);
    assertThat(newest().replicas(2)).isEqualTo(2);
    handling.changed(status(2, State.ACTIVE));
    assertThat(newest().epochs()).as("nothing more to do").isEqualTo(3);
  }

  /** Coordinators have heard server 2 all the time: nobody says that it is back. */
  @Test
  void setsGrowAgainWhenAServerThatTasksDidNotReachWasLeftAloneForLongEnough() {
    scheduler.pass(Duration.ofSeconds(30));
    shuffles.add(replicated());
    Complaint missed = Complaint.ofServer(server(2), ErrorCode.CONNECT_FAILED);
    handling.changed(status(0, State.LOST));
    shuffles.leave(SHUFFLE, List.of(missed));
    assertThat(newest().replicas(newest().epochs() - 1)).isEqualTo(1);
    int small = newest().epochs();

    scheduler.pass(Duration.ofSeconds(20));
    servers.report(missed);
    scheduler.pass(Duration.ofSeconds(29));
    assertThat(newest().epochs()).as("missed again meanwhile").isEqualTo(small);
    scheduler.pass(Duration.ofSeconds(1));
    assertThat(newest().epochs()).isEqualTo(small + 1);
    assertThat(newest().replicas(small)).isEqualTo(2);
    assertThat(scheduler.waiting()).as("nothing more to look after").isZero();
  }

  @Test
  void setsGrowAgainWhenAStreamBeginsWithAServerThatIsBack() {
    shuffles.add(replicated());
    handling.changed(status(0, State.LOST));
    handling.changed(status(2, State.SUSPECT));
    shuffles.leave(SHUFFLE, List.of(Complaint.ofServer(server(2), ErrorCode.TIMED_OUT)));
    int small = newest().epochs();
    handling.unheard();
    handling.snapshot(
        List.of(status(0, State.LOST), status(1, State.ACTIVE), status(2, State.ACTIVE)));
    assertThat(newest().epochs()).isEqualTo(small + 1);
    assertThat(newest().replicas(small)).isEqualTo(2);
  }

  @Test
  void setsOfAShuffleThatIsWrittenStayAsTheyAre() {
    outputs.register(4, 104, ranMeanwhile(4, 104, 1, 2));
    shuffles.add(replicated());
    handling.changed(status(2, State.RESTARTING));
    shuffles.leave(SHUFFLE, List.of());

    handling.changed(status(2, State.ACTIVE));
    assertThat(newest().epochs()).isEqualTo(2);
  }

  private static FixedPlacement replicated() {
    return FixedPlacement.of(
        new ShuffleKey(ApplicationId.of(1, 1), SHUFFLE, 0),
        2,
        List.of(server(1), server(2)),
        2,
        new int[] {0, 1, 1, 0});
  }

  private FixedPlacement newest() {
    return Objects.requireNonNull(shuffles.newest(SHUFFLE));
  }

  /** An attempt that began in the first epoch and ended in the second. */
  private static BlockManagerId ranMeanwhile(int map, long attempt, int... storedOn) {
    BitSet servers = new BitSet();
    IntStream.of(storedOn).forEach(servers::set);
    return MapLocation.holding(MapLocation.of(SHUFFLE, map, attempt, 0, 1), servers);
  }

  private static SparkListenerStageCompleted completed() {
    return new SparkListenerStageCompleted(
        new StageInfo(
            1,
            0,
            "maps",
            MAPS,
            List$.MODULE$.empty(),
            List$.MODULE$.empty(),
            "",
            TaskMetrics.empty(),
            List$.MODULE$.empty(),
            Option.apply(SHUFFLE),
            0,
            false,
            0));
  }
}
