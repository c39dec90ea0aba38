package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Gives shuffles their places, or none, notes which, and gives places back. Thread-safe. */
public final class ShuffleRouting {
  private final ShufflePlacements placements;
  private final Fallback fallback;
  private final ShuffleRoutes routes;

  /**
   * @param placements stay the caller's
   * @param fallback of the same placements
   * @param routes told which way each shuffle goes
   */
  public ShuffleRouting(ShufflePlacements placements, Fallback fallback, ShuffleRoutes routes) {
    this.placements = placements;
    this.fallback = fallback;
    this.routes = routes;
  }

  /**
   * Decides about a new shuffle.
   *
   * @return where Sluice has it; null if it is local
   * @throws SluiceException if it can go neither way
   * @throws InterruptedException if the thread was interrupted as it waited for coordinators, and
   *     is to know that by nothing else
   */
  public @Nullable FixedPlacement place(int shuffleId, int partitions) throws InterruptedException {
    Fallback.Decision decision;
    try {
      decision = fallback.decide(shuffleId, partitions);
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.CANCELLED && wasInterrupted(e)) {
        InterruptedException interrupted = new InterruptedException(e.getMessage());
        interrupted.initCause(e);
        throw interrupted;
      }
      throw e;
    }
    routes.add(decision.route());
    return decision.placement();
  }

  /**
   * Places a shuffle anew that was removed while a plan is left that knows it. It is never local:
   * what tasks get of it is Sluice's handle.
   *
   * @param atMost how long the coordinator is waited for
   * @throws SluiceException if the coordinator refuses or cannot be reached
   */
  FixedPlacement placeAgain(int shuffleId, int partitions, Duration atMost) {
    FixedPlacement placement = placements.place(shuffleId, partitions, atMost);
    routes.addAgain(ShuffleRoute.placed(shuffleId, partitions));
    return placement;
  }

  /**
   * Whether the thread was interrupted, which it is not any more then. The thread of a streaming
   * query (Spark's {@code UninterruptibleThread}) ignores that it interrupts itself as long as
   * another thread has not quite done so, and does not tell afterwards; the cause does.
   */
  private static boolean wasInterrupted(SluiceException cancelled) {
    boolean told = Thread.interrupted();
    return told || cancelled.getCause() instanceof InterruptedException;
  }

  /**
   * A shuffle is over.
   *
   * @param newest where it was; null if it was local
   */
  public void remove(int shuffleId, @Nullable FixedPlacement newest) {
    routes.remove(shuffleId);
    placements.remove(
        shuffleId,
        newest == null
            ? List.of()
            : newest.servers().stream().map(PlacedServer::id).collect(Collectors.toSet()));
  }
}
