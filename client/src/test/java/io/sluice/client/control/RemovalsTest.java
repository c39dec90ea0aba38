package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeLoop;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.RemoveShuffleRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class RemovalsTest {
  private static final ServerId LATER = ServerId.of(7, 8);

  private final FakeLoop loop = new FakeLoop();
  private final List<RemoveShuffleRequest> sent = new ArrayList<>();
  private final Deque<CompletableFuture<Object>> open = new ArrayDeque<>();
  private final Removals removals =
      new Removals(
          loop,
          request -> {
            sent.add(request);
            open.add(new CompletableFuture<>());
            return open.getLast();
          });

  private static ShuffleKey shuffle(int id) {
    return new ShuffleKey(ApplicationId.of(1, 2), id, 0);
  }

  private CompletionStage<?> remove(int id) {
    CompletionStage<?> tried = removals.remove(shuffle(id), List.of());
    runAll();
    return tried;
  }

  private void runAll() {
    while (loop.runNext()) {}
  }

  private void removed() {
    open.remove().complete("done");
  }

  private void failed(ErrorCode code) {
    open.remove().completeExceptionally(new SluiceException(code, "no"));
  }

  private List<Integer> ids() {
    List<Integer> ids = sent.stream().map(one -> one.getShuffle().getShuffleId()).toList();
    sent.clear();
    return ids;
  }

  @Test
  void oneThatReachedNobodyIsSentAgainOnceACoordinatorIsHeard() {
    removals.remove(shuffle(1), List.of(LATER));
    runAll();
    RemoveShuffleRequest first = sent.get(0);
    failed(ErrorCode.COORDINATOR_UNAVAILABLE);
    assertThat(sent).as("nobody is heard yet").hasSize(1);

    removals.heard();
    failed(ErrorCode.COORDINATOR_UNAVAILABLE);
    removals.heard();

    assertThat(sent).hasSize(3).containsOnly(first);
    assertThat(first.getLaterServersList()).containsExactly(ControlMessages.uuid(LATER));
    removed();
    removals.heard();
    assertThat(sent).as("it is gone").hasSize(3);
  }

  @Test
  void moreThanMayBeUnderWayWaitForTheirTurn() {
    for (int i = 0; i < Removals.MOST_UNDER_WAY + 2; i++) {
      remove(i);
    }
    assertThat(ids()).hasSize(Removals.MOST_UNDER_WAY);

    removed();
    failed(ErrorCode.COORDINATOR_UNAVAILABLE);

    assertThat(ids()).containsExactly(Removals.MOST_UNDER_WAY, Removals.MOST_UNDER_WAY + 1);
  }

  @Test
  void whatIsRefusedForGoodIsNotSentAgain() {
    remove(1);
    failed(ErrorCode.ACCESS_DENIED);
    removals.heard();

    assertThat(ids()).containsExactly(1);
  }

  @Test
  void whoWaitsForOneWaitsForTheFirstCallOnly() {
    CompletionStage<?> tried = remove(1);
    assertThat(tried.toCompletableFuture()).isNotDone();

    failed(ErrorCode.COORDINATOR_UNAVAILABLE);

    assertThat(tried.toCompletableFuture()).isCompleted();
  }

  @Test
  void whatIsBeyondTheLimitIsLeftToTheEndOfTheApplication() {
    for (int i = 0; i < Removals.LIMIT; i++) {
      remove(i);
    }
    CompletionStage<?> beyond = remove(Removals.LIMIT);
    assertThat(beyond.toCompletableFuture()).isCompleted();

    removed();
    remove(Removals.LIMIT + 1);
    while (!open.isEmpty()) {
      removed();
    }

    assertThat(ids()).hasSize(Removals.LIMIT + 1).doesNotContain(Removals.LIMIT);
  }

  @Test
  void whatReachedNobodyCountsForTheLimit() {
    for (int i = 0; i < Removals.LIMIT; i++) {
      remove(i);
    }
    while (!open.isEmpty()) {
      failed(ErrorCode.COORDINATOR_UNAVAILABLE);
    }
    ids();

    assertThat(remove(Removals.LIMIT).toCompletableFuture()).isCompleted();
    assertThat(ids()).isEmpty();
  }

  @Test
  void oneThatIsPlacedAgainIsNotRemovedAnyMore() {
    remove(1);
    failed(ErrorCode.COORDINATOR_UNAVAILABLE);
    remove(2);
    failed(ErrorCode.COORDINATOR_UNAVAILABLE);
    ids();

    removals.placed(shuffle(1));
    runAll();
    removals.heard();

    assertThat(ids()).containsExactly(2);
  }

  @Test
  void norOneThatIsUnderWayAndReachesNobody() {
    remove(1);
    ids();

    removals.placed(shuffle(1));
    runAll();
    failed(ErrorCode.COORDINATOR_UNAVAILABLE);
    removals.heard();

    assertThat(ids()).isEmpty();
  }

  @Test
  void norOneThatWaitsForItsTurn() {
    for (int i = 0; i < Removals.MOST_UNDER_WAY; i++) {
      remove(i);
    }
    ids();
    CompletionStage<?> waits = remove(Removals.MOST_UNDER_WAY);

    removals.placed(shuffle(Removals.MOST_UNDER_WAY));
    runAll();
    removed();

    assertThat(ids()).isEmpty();
    assertThat(waits.toCompletableFuture()).isCompleted();
  }
}
