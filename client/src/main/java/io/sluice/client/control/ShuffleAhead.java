package io.sluice.client.control;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler.Cancellable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A shuffle that is placed before anybody asks for it, so that whoever does has no coordinator to
 * wait for. It has one taker at most; one that nobody takes in time, or that is {@link #drop
 * dropped}, is removed again. Thread-safe.
 */
public final class ShuffleAhead {
  private final LeaderCalls calls;
  private final CompletionStage<FixedPlacement> placed;
  private final Supplier<CompletionStage<?>> removal;
  private final Cancellable expiry;
  // Whether it has its taker, or will have none.
  private final AtomicBoolean decided = new AtomicBoolean();
  private final CompletableFuture<Boolean> gone = new CompletableFuture<>();

  /**
   * @param removal gives the shuffle up
   * @param keep for a taker
   */
  ShuffleAhead(
      LeaderCalls calls,
      CompletionStage<FixedPlacement> placed,
      Supplier<CompletionStage<?>> removal,
      Duration keep) {
    this.calls = calls;
    this.placed = placed;
    this.removal = removal;
    this.expiry = calls.scheduler().schedule(keep.toNanos(), this::drop);
  }

  /**
   * Takes it, waiting for the coordinator if that has not answered yet. Not on the scheduler's
   * thread.
   *
   * @return where the shuffle is, which is the caller's to remove; null if it is gone, or could not
   *     be placed: then the caller may ask for one himself
   * @throws SluiceException CANCELLED if the thread was interrupted, which it stays; SHUTTING_DOWN
   */
  public @Nullable FixedPlacement take(Duration atMost) {
    if (!decided.compareAndSet(false, true)) {
      return null;
    }
    expiry.cancel();
    try {
      return calls.await(placed, atMost.toNanos());
    } catch (SluiceException e) {
      remove();
      if (e.code() == ErrorCode.CANCELLED || e.code() == ErrorCode.SHUTTING_DOWN) {
        throw e;
      }
      return null;
    }
  }

  /**
   * Gives it up, unless it was taken. Does not wait.
   *
   * @return ends when coordinators do not count it any more, or have not been reached; never, if it
   *     was taken and is not given back
   */
  public CompletionStage<Boolean> drop() {
    if (decided.compareAndSet(false, true)) {
      expiry.cancel();
      remove();
    }
    return gone;
  }

  /**
   * Gives back what was taken and is not used. Does not wait.
   *
   * @return as of {@link #drop}
   */
  public CompletionStage<Boolean> giveBack() {
    remove();
    return gone;
  }

  /** Behind the call that places it, which it would overtake otherwise. */
  private void remove() {
    placed.whenComplete(
        (placement, failure) -> {
          if (failure != null && ControlFailures.isRefused(failure)) {
            gone.complete(true);
          } else { // What failed otherwise may be placed by somebody who could not say so.
            removal.get().whenComplete((removed, ignored) -> gone.complete(true));
          }
        });
  }
}
