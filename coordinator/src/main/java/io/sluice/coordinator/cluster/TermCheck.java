package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.registry.StateStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store whether a term still holds, for what is made without a write: a leader that was
 * paused, or cut off, may not know that its successor leads already.
 *
 * <p>One question at a time serves all who came before it was put, so a store that answers in 2 ms
 * is asked 500 times a second at most, however many want to know. Whoever comes while a question is
 * under way waits for the next one. Who waits is bounded by the calls that gRPC admits.
 *
 * <p>Confined to the control thread.
 */
final class TermCheck {
  /** An ensemble that answers pings and decides nothing would keep callers for ever. */
  static final long PATIENCE_SECONDS = 5;

  private final Scheduler scheduler;
  private final StateStore store;
  private List<CompletableFuture<Void>> asking = List.of();
  private List<CompletableFuture<Void>> waiting = new ArrayList<>();
  private @Nullable SluiceException ended;
  // Of the question that is under way, or was last.
  private long question;

  TermCheck(Scheduler scheduler, StateStore store) {
    this.scheduler = scheduler;
    this.store = store;
  }

  /**
   * Completes, on the control thread, once the term has held at some moment after this call. Fails
   * with NOT_LEADER if it has ended, COORDINATOR_UNAVAILABLE if the store cannot be asked, or does
   * not answer within {@value #PATIENCE_SECONDS} s.
   */
  CompletionStage<Void> holds() {
    if (ended != null) {
      return CompletableFuture.failedFuture(ended);
    }
    CompletableFuture<Void> answer = new CompletableFuture<>();
    waiting.add(answer);
    if (asking.isEmpty()) {
      ask();
    }
    return answer;
  }

  private void ask() {
    asking = waiting;
    waiting = new ArrayList<>();
    long asked = ++question;
    Scheduler.Cancellable patience =
        scheduler.schedule(
            TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), () -> answered(asked, noAnswer()));
    store
        .confirmTerm()
        .whenComplete(
            (nothing, failure) ->
                scheduler.execute(
                    () -> {
                      patience.cancel();
                      answered(asked, failure);
                    }));
  }

  private static SluiceException noAnswer() {
    return new SluiceException(
        ErrorCode.COORDINATOR_UNAVAILABLE,
        "the store has not said within "
            + PATIENCE_SECONDS
            + " s whether this coordinator still leads");
  }

  /** The first answer to a question counts, be it that there is none. */
  private void answered(long asked, @Nullable Throwable failure) {
    if (ended != null || asked != question || asking.isEmpty()) {
      return;
    }
    List<CompletableFuture<Void>> answered = asking;
    asking = List.of();
    if (!waiting.isEmpty()) {
      ask();
    }
    for (CompletableFuture<Void> each : answered) {
      if (failure == null) {
        each.complete(null);
      } else {
        each.completeExceptionally(failure);
      }
    }
  }

  /** Fails all who wait, and whoever comes later. */
  void close(SluiceException reason) {
    ended = reason;
    List<CompletableFuture<Void>> failing = new ArrayList<>(asking);
    failing.addAll(waiting);
    asking = List.of();
    waiting = new ArrayList<>();
    failing.forEach(each -> each.completeExceptionally(reason));
  }
}
