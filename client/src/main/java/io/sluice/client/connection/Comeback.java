package io.sluice.client.connection;

import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Placements;
import io.sluice.client.placement.Prospect;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a connection that is gone is made again: when, where to, and when no more. On the event loop
 * only.
 *
 * <p>Whoever makes placements is asked about the server twice: where it is now, when an attempt has
 * failed for the first time, beside further attempts; and what becomes of it, before it is given
 * up. A server that is waited for is asked about at each failure.
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
  // Whether the outcome is still open.
  private boolean waiting;
  private Scheduler.@Nullable Cancellable retry;

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
   * @param delay nanoseconds, -1 if there is to be no other attempt
   * @param noRoom whether the server itself has refused it, because it has no room
   * @param attempt whether an attempt has failed, and not a connection
   */
  void after(SluiceException cause, long delay, boolean noRoom, boolean attempt) {
    waiting = true;
    retry = null;
    if (delay < 0 && (noRoom || cause.code().advice() == Advice.ABORT)) {
      giveUp(cause);
    } else if (!noRoom && (delay < 0 || reconnect.isAwaited())) {
      ask((found, outlived) -> answered(found, outlived, cause, delay));
    } else if (!noRoom && attempt && placements.canChange() && reconnect.mayLookUp()) {
      ask((found, outlived) -> lookedUp(found, outlived, cause));
      tryIn(Math.max(delay, Reconnect.LOOK_UP_NANOS));
    } else {
      tryIn(delay);
    }
  }

  private void giveUp(SluiceException cause) {
    waiting = false;
    outcome.giveUp(cause);
  }

  private void tryIn(long delay) {
    retry = loop.schedule(delay, this::tryNow);
  }

  private void tryNow() {
    waiting = false;
    outcome.tryAgain();
  }

  /** An answer, and whether a later life of the server has become known since the question. */
  private interface Answer {
    void take(Whereabouts found, boolean outlived);
  }

  /** Asks; what is answered when the client is closed goes nowhere. */
  private void ask(Answer then) {
    PlacedServer asked = destination.server();
    placements
        .whereabouts(asked)
        .thenAccept(
            found -> {
              try {
                loop.execute(() -> then.take(found, isOutlived(asked)));
              } catch (RejectedExecutionException closed) {
                log.debug("the client is closed", closed);
              }
            });
  }

  /**
   * What is lost with one life is no word about the next, which a placement has named meanwhile.
   */
  private boolean isOutlived(PlacedServer asked) {
    return destination.server().incarnation() > asked.incarnation();
  }

  private void answered(Whereabouts found, boolean outlived, SluiceException cause, long delay) {
    long next = reconnect.answered(prospect(found, outlived), loop.clock().nanoTime(), delay);
    if (isElsewhere(found) || outlived) {
      tryIn(reconnect.elsewhere(loop.clock().nanoTime()));
    } else if (next < 0) {
      giveUp(cause);
    } else {
      tryIn(next);
    }
  }

  /** The next attempt may have begun, and ended, before. */
  private void lookedUp(Whereabouts found, boolean outlived, SluiceException cause) {
    boolean elsewhere = isElsewhere(found) || outlived;
    Scheduler.Cancellable pending = retry;
    if (!waiting || pending == null) {
      return;
    }
    long now = loop.clock().nanoTime();
    if (reconnect.answered(prospect(found, outlived), now, 0) < 0) {
      pending.cancel();
      giveUp(cause);
    } else if (elsewhere) {
      pending.cancel();
      tryIn(reconnect.elsewhere(now));
    }
  }

  private static Prospect prospect(Whereabouts found, boolean outlived) {
    return outlived ? Prospect.UNKNOWN : found.prospect();
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
