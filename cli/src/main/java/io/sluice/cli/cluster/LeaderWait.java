package io.sluice.cli.cluster;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.client.control.Backoff;
import io.sluice.common.config.DurationText;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How long a command goes on asking while no coordinator leads. An election takes as long as the
 * dead leader's session at ZooKeeper, which is seconds, and a moment. All coordinators are asked
 * again after 100 ms, and then after pauses that double up to a second. For one thread.
 */
final class LeaderWait {
  private final Clock clock;
  private final Consumer<String> told;
  private @Nullable Election election;

  /** One row of rounds without an answer. */
  private record Election(long since, Backoff backoff) {}

  /**
   * @param told once a row of rounds without an answer that it is waited, and how long at most
   */
  LeaderWait(Clock clock, Consumer<String> told) {
    this.clock = clock;
    this.told = told;
  }

  /** Somebody has answered: the next wait has all its time again. */
  void answered() {
    election = null;
  }

  /**
   * Pauses before the coordinators are asked again, unless it was asked for long enough.
   *
   * @param patience since the first time that nobody answered
   * @param trouble why nobody did
   * @return whether to ask again
   * @throws CommandFailedException if the thread is interrupted
   */
  boolean again(Duration patience, String trouble) {
    Election now = election;
    if (now == null) {
      now = new Election(clock.nanoTime(), Backoff.eager());
      election = now;
      if (!patience.isZero()) {
        told.accept(trouble + ": asking for up to " + DurationText.format(patience) + " more");
      }
    }
    long left = patience.toNanos() - (clock.nanoTime() - now.since());
    if (left <= 0) {
      return false;
    }
    pause(Math.min(left, now.backoff().next()), trouble);
    return true;
  }

  private static void pause(long nanos, String trouble) {
    try {
      CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS))
          .get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailedException(ExitCode.UNAVAILABLE, "interrupted while " + trouble, e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
