package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.leadership.NotLeaderException;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.MemoryStateStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TermCheckTest {
  private final ManualScheduler scheduler = new ManualScheduler();
  private final MemoryStateStore store = new MemoryStateStore();
  private final TermCheck check = new TermCheck(scheduler, store);

  private static ErrorCode refusal(CompletionStage<Void> stage) {
    CompletableFuture<Void> answer = stage.toCompletableFuture();
    assertThat(answer).isCompletedExceptionally();
    SluiceException refusal =
        (SluiceException) answer.handle((holds, failure) -> Objects.requireNonNull(failure)).join();
    return refusal.code();
  }

  @Test
  void saysNothingBeforeTheStoreHasAnswered() {
    store.setHolding(true);
    CompletableFuture<Void> answer = check.holds().toCompletableFuture();
    scheduler.runTasks();
    assertThat(answer).isNotDone();

    store.release();
    scheduler.runTasks();

    assertThat(answer).isCompleted();
  }

  @Test
  void asksOnceForAllWhoWaitAndAnewForWhoComesMeanwhile() {
    store.setHolding(true);
    CompletableFuture<Void> first = check.holds().toCompletableFuture();
    List<CompletableFuture<Void>> later = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      later.add(check.holds().toCompletableFuture());
    }
    assertThat(store.confirmations()).isEqualTo(1);

    // Their answer may be older than their question.
    store.release();
    scheduler.runTasks();
    assertThat(first).isCompleted();
    assertThat(later).noneMatch(CompletableFuture::isDone);

    store.release();
    scheduler.runTasks();
    assertThat(later).allMatch(CompletableFuture::isDone);
    assertThat(store.confirmations()).isEqualTo(2);
  }

  @Test
  void passesOnThatAnotherLeadsAndThatTheStoreIsAway() {
    store.setFenced(true);
    CompletionStage<Void> fenced = check.holds();
    scheduler.runTasks();
    assertThat(refusal(fenced)).isEqualTo(ErrorCode.NOT_LEADER);

    store.setFenced(false);
    store.setFailing(true);
    CompletionStage<Void> away = check.holds();
    scheduler.runTasks();
    assertThat(refusal(away)).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
  }

  @Test
  void nobodyWaitsLongForAStoreThatIsSilent() {
    store.setHolding(true);
    CompletionStage<Void> asked = check.holds();
    CompletableFuture<Void> later = check.holds().toCompletableFuture();
    scheduler.advance(TermCheck.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(refusal(asked)).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    assertThat(store.confirmations()).isEqualTo(2);
    assertThat(later).isNotDone();

    // Both answers come at last: the first is that to a question given up.
    store.release();
    scheduler.runTasks();
    assertThat(later).isCompleted();
  }

  @Test
  void nobodyWaitsForAStoreThatIsSilentOnceTheElectionIsLost() {
    store.setHolding(true);
    CompletionStage<Void> asked = check.holds();
    CompletionStage<Void> waiting = check.holds();

    check.close(new NotLeaderException("there:1"));

    assertThat(refusal(asked)).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusal(waiting)).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusal(check.holds())).isEqualTo(ErrorCode.NOT_LEADER);
    store.release();
    scheduler.runTasks();
    assertThat(store.confirmations()).isEqualTo(1);
  }
}
