package io.sluice.client.connection;

import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Placements;
import io.sluice.client.placement.Prospect;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a connection that is gone is made again: when, where to, and when no more. On the event loop
 * only.
 *
 * <p>Whoever makes placements is asked about the server twice: where it is now, when an attempt has
 * failed for the first time; and what becomes of it, before it is given up. A server that is waited
 * for is asked about at each failure. One question is open at a time, and attempts go on beside it:
 * who is asked may take minutes to answer, and the server may be back where it was meanwhile.
 */
final class Comeback {
  private static final Logger log = LoggerFactory.getLogger(Comeback.class);

  /** What the connection is told, once for each {@link #after}. */
  interface Outcome {
    void tryAgain();

    void giveUp(SluiceException cause);
  }

  private final Reconnect reconnect;
  private final Destination destination;
  private final Placements placements;
  private final Scheduler loop;
  private final Outcome outcome;
  // The next attempt, while the outcome is open.
  private Scheduler.@Nullable Cancellable retry;
  private @Nullable SluiceException cause;
  private long delay;
  private boolean asking;
  // Whether an attempt is under way, and what was answered meanwhile.
  private boolean trying;
  private @Nullable Answer unheeded;

  /** What was said of a life of the server. */
  private static final class Answer {
    private final PlacedServer asked;
    private final Whereabouts found;

    Answer(PlacedServer asked, Whereabouts found) {
      this.asked = asked;
      this.found = found;
    }
  }

  Comeback(
      Reconnect reconnect,
      Destination destination,
      Placements placements,
      Scheduler loop,
      Outcome outcome) {
    this.reconnect = reconnect;
    this.destination = destination;
    this.placements = placements;
    this.loop = loop;
    this.outcome = outcome;
  }

  /** Nobody wants the connection any more, or it was given up. */
  void reset() {
    reconnect.reset();
    trying = false;
    unheeded = null;
  }

  /**
   * Whether trying again is of no use. Another server at the address is one that has taken it over:
   * the one that was meant will not be there again, unless somebody says where it is now.
   */
  boolean isFinal(ErrorCode code) {
    return code.advice() == Advice.ABORT
        || (code == ErrorCode.WRONG_SERVER && destination.isAsTried());
  }

  /**
   * A connection is wanted after a failure.
   *
   * @param nextDelay nanoseconds, -1 if there is to be no other attempt
   */
  void after(Setback setback, SluiceException failure, long nextDelay) {
    cause = failure;
    delay = nextDelay;
    Answer known = unheeded;
    trying = false;
    unheeded = null;
    if (nextDelay < 0 && (setback == Setback.NO_ROOM || failure.code().advice() == Advice.ABORT)) {
      giveUp();
    } else if (setback == Setback.NO_ROOM) {
      tryIn(nextDelay);
    } else if (setback == Setback.ATTEMPT_FAILED && known != null) {
      tryIn(besideQuestion());
      heed(known);
    } else if (nextDelay < 0 || reconnect.isAwaited() || mayLookUp(setback)) {
      ask();
      tryIn(besideQuestion());
    } else {
      tryIn(nextDelay);
    }
  }

  private boolean mayLookUp(Setback setback) {
    return setback == Setback.ATTEMPT_FAILED && placements.canChange() && reconnect.mayLookUp();
  }

  private long besideQuestion() {
    return delay < 0 ? Reconnect.LONGEST_DELAY_NANOS : Math.max(delay, Reconnect.LOOK_UP_NANOS);
  }

  private void giveUp() {
    cancel();
    outcome.giveUp(Objects.requireNonNull(cause));
  }

  private void tryIn(long nanos) {
    cancel();
    retry = loop.schedule(nanos, this::tryNow);
  }

  private void cancel() {
    if (retry != null) {
      retry.cancel();
      retry = null;
    }
  }

  private void tryNow() {
    retry = null;
    trying = true;
    outcome.tryAgain();
  }

  /** Asks; what is answered when the client is closed goes nowhere. */
  private void ask() {
    if (asking) {
      return;
    }
    asking = true;
    PlacedServer asked = destination.server();
    placements
        .whereabouts(asked)
        .thenAccept(
            found -> {
              try {
                loop.execute(() -> answered(new Answer(asked, found)));
              } catch (RejectedExecutionException closed) {
                log.debug("the client is closed", closed);
              }
            });
  }

  private void answered(Answer answer) {
    asking = false;
    if (retry != null) {
      heed(answer);
    } else {
      // If nothing is wanted any more, what holds now is no answer to what is asked later.
      isElsewhere(answer.found);
      unheeded = trying ? answer : null;
    }
  }

  private void heed(Answer answer) {
    boolean outlived = isOutlived(answer.asked);
    boolean elsewhere = isElsewhere(answer.found) || outlived;
    Prospect prospect = outlived ? Prospect.UNKNOWN : answer.found.prospect();
    long now = loop.clock().nanoTime();
    long next = reconnect.answered(prospect, now, delay);
    if (elsewhere && prospect != Prospect.LOST) {
      tryIn(reconnect.elsewhere(now));
    } else if (next < 0) {
      giveUp();
    } else if (delay < 0) {
      tryIn(next);
    }
  }

  /**
   * What is lost with one life is no word about the next, which a placement has named meanwhile.
   */
  private boolean isOutlived(PlacedServer asked) {
    return destination.server().incarnation() > asked.incarnation();
  }

  private boolean isElsewhere(Whereabouts found) {
    PlacedServer before = destination.server();
    boolean elsewhere = found.now().filter(destination::told).isPresent();
    if (elsewhere) {
      log.info("server {} is found at {}", before, destination.server());
    }
    return elsewhere;
  }
}
