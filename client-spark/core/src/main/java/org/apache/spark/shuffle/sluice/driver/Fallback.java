package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.sluice.config.FallbackPolicy;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;
import org.jspecify.annotations.Nullable;

/**
 * Decides, once for each shuffle, whether it goes through Sluice or through Spark's own shuffle
 * (docs/spark-fallback.md). Thread-safe. Waits for coordinators as {@link ShufflePlacements#place}
 * does; after they were waited for in vain, it asks them again no sooner than ten times as long
 * afterwards.
 */
public final class Fallback {
  /** So at most one eleventh of a job is spent waiting for coordinators that do not come back. */
  private static final int PAUSE_FACTOR = 10;

  private final ShufflePlacements placements;
  private final FallbackPolicy policy;
  private final int fewPartitions;
  private final long pauseNanos;
  private final Clock clock;

  // Guarded by this: after a wait in vain.
  private @Nullable Pause pause;

  /**
   * @param policy not {@code ALWAYS}, with which coordinators have no part in it
   * @param fewPartitions shuffles of fewer are local, if policy allows it
   * @param patience how long {@code placements} wait
   */
  public Fallback(
      ShufflePlacements placements,
      FallbackPolicy policy,
      int fewPartitions,
      Duration patience,
      Clock clock) {
    this.placements = placements;
    this.policy = policy;
    this.fewPartitions = fewPartitions;
    this.pauseNanos = patience.multipliedBy(PAUSE_FACTOR).toNanos();
    this.clock = clock;
  }

  /**
   * Decides about a new shuffle.
   *
   * @throws SluiceException if it can go neither way
   */
  public Decision decide(int shuffleId, int partitions) {
    if (policy == FallbackPolicy.NEVER) {
      return Decision.placed(shuffleId, partitions, placements.place(shuffleId, partitions));
    }
    if (partitions < fewPartitions) {
      return Decision.local(
          shuffleId,
          partitions,
          Why.FEW_PARTITIONS,
          "it has fewer than the " + fewPartitions + " partitions from which on Sluice is used");
    }
    Optional<Decision> early = whileNotAsked(shuffleId, partitions);
    if (early.isPresent()) {
      return early.get();
    }
    try {
      FixedPlacement placement = placements.place(shuffleId, partitions);
      answered();
      return Decision.placed(shuffleId, partitions, placement);
    } catch (SluiceException failure) {
      Why why = why(failure.code()).orElseThrow(() -> failure);
      if (failure.code().advice() == Advice.ABORT) {
        answered();
      } else {
        waitedFor(shuffleId, why, failure);
      }
      return Decision.local(shuffleId, partitions, why, words(why) + ": " + failure.getMessage());
    }
  }

  /** Why a shuffle is local that failed to be placed; empty if that must not be glossed over. */
  static Optional<Why> why(ErrorCode code) {
    switch (code.blame()) {
      case CAPACITY:
        return Optional.of(Why.REFUSED);
      case INTERNAL:
        return code == ErrorCode.SHUTTING_DOWN ? Optional.empty() : Optional.of(Why.UNREACHABLE);
      case CALLER:
        return code == ErrorCode.ACCESS_DENIED ? Optional.of(Why.REFUSED) : Optional.empty();
      case CORRUPTION:
        return Optional.empty();
    }
    throw new AssertionError(code.blame());
  }

  private static String words(Why why) {
    return why == Why.REFUSED ? "the coordinators refuse it" : "no coordinator places it";
  }

  private synchronized Optional<Decision> whileNotAsked(int shuffleId, int partitions) {
    long left = pause == null ? 0 : pause.end - clock.nanoTime();
    if (pause == null || left <= 0) {
      return Optional.empty();
    }
    return Optional.of(
        Decision.local(
            shuffleId,
            partitions,
            pause.why,
            "coordinators are asked again in "
                + TimeUnit.NANOSECONDS.toSeconds(left)
                + " s, having failed shuffle "
                + pause.shuffleId
                + " with "
                + pause.message));
  }

  private synchronized void waitedFor(int shuffleId, Why why, SluiceException failure) {
    String message = String.valueOf(failure.getMessage());
    pause = new Pause(clock.nanoTime() + pauseNanos, shuffleId, why, message);
  }

  private synchronized void answered() {
    pause = null;
  }

  /** What was decided. Immutable. */
  public static final class Decision {
    private final ShuffleRoute route;
    private final @Nullable FixedPlacement placement;

    private Decision(ShuffleRoute route, @Nullable FixedPlacement placement) {
      this.route = route;
      this.placement = placement;
    }

    private static Decision placed(int shuffleId, int partitions, FixedPlacement placement) {
      return new Decision(ShuffleRoute.placed(shuffleId, partitions), placement);
    }

    private static Decision local(int shuffleId, int partitions, Why why, String reason) {
      return new Decision(ShuffleRoute.local(shuffleId, partitions, why, reason), null);
    }

    public ShuffleRoute route() {
      return route;
    }

    /** Where Sluice has it; null if it is local. */
    public @Nullable FixedPlacement placement() {
      return placement;
    }
  }

  /** Until when coordinators are not asked, and what for. */
  private static final class Pause {
    private final long end;
    private final int shuffleId;
    private final Why why;
    private final String message;

    Pause(long end, int shuffleId, Why why, String message) {
      this.end = end;
      this.shuffleId = shuffleId;
      this.why = why;
      this.message = message;
    }
  }
}
