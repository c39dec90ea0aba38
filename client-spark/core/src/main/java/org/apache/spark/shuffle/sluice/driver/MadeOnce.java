package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What takes long to make, and is made by whoever needs it first, while others wait for that. No
 * lock is held meanwhile: every wait ends with an interrupt, its own deadline, or the end of all.
 * Where making it fails, that is the failure of whoever tried, and the next one tries anew.
 * Thread-safe.
 */
final class MadeOnce<T> {
  private final Function<Duration, T> maker;
  private final Consumer<T> unwanted;

  // Guarded by this. What others wait for completes when whoever makes it has it, or has failed.
  private @Nullable T made;
  private @Nullable CompletableFuture<Boolean> making;
  private boolean ended;

  /**
   * @param maker is told how long it may take; one that is used up already is not above 0
   * @param unwanted takes what came after the end
   */
  MadeOnce(Function<Duration, T> maker, Consumer<T> unwanted) {
    this.maker = maker;
    this.unwanted = unwanted;
  }

  /**
   * What is made, or was.
   *
   * @param deadline on the system's clock
   * @throws SluiceException SHUTTING_DOWN once it was ended; what the maker throws. Of who waits
   *     for others CANCELLED if the thread was interrupted, which it stays, and
   *     COORDINATOR_UNAVAILABLE at the deadline
   */
  T get(long deadline) {
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    while (true) {
      CompletableFuture<Boolean> first;
      synchronized (this) {
        requireNotEnded();
        if (made != null) {
          return made;
        }
        first = making == null ? mine : making;
        making = first;
      }
      if (first == mine) {
        return make(mine, deadline);
      }
      await(first, deadline);
    }
  }

  private T make(CompletableFuture<Boolean> mine, long deadline) {
    T result;
    try {
      result = maker.apply(until(deadline));
    } catch (RuntimeException | Error e) {
      over(mine, null);
      throw e;
    }
    if (!over(mine, result)) {
      unwanted.accept(result);
      throw hasEnded();
    }
    return result;
  }

  /** Whether anybody wants what came of it. */
  private boolean over(CompletableFuture<Boolean> mine, @Nullable T result) {
    boolean wanted;
    synchronized (this) {
      making = null;
      wanted = !ended;
      made = wanted ? result : null;
    }
    mine.complete(true);
    return wanted;
  }

  private static void await(CompletableFuture<Boolean> other, long deadline) {
    if (!Waiting.until(deadline, other)) {
      throw new SluiceException(
          ErrorCode.COORDINATOR_UNAVAILABLE,
          "another shuffle waits for the coordinators to register the application");
    }
  }

  private static Duration until(long deadline) {
    return Duration.ofNanos(deadline - Clock.system().nanoTime());
  }

  /** What was made; null if nothing was yet. */
  synchronized @Nullable T known() {
    return made;
  }

  /**
   * Ends it: nobody waits for others any more, and nobody gets it from here on. Whoever makes it
   * now is not called back.
   *
   * @return what was made, if anything was; the caller's
   */
  @Nullable T end() {
    @Nullable T last;
    @Nullable CompletableFuture<Boolean> awaited;
    synchronized (this) {
      ended = true;
      last = made;
      made = null;
      awaited = making;
    }
    if (awaited != null) {
      awaited.complete(true);
    }
    return last;
  }

  private void requireNotEnded() {
    if (ended) {
      throw hasEnded();
    }
  }

  private static SluiceException hasEnded() {
    return new SluiceException(ErrorCode.SHUTTING_DOWN, "the application ends");
  }
}
