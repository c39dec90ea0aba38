package io.sluice.client.connection;

import io.sluice.client.ClientConfig;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientLink;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of a connection's pushes: blocks that can go elsewhere do not wait for a server that
 * has become silent, others not for ever for one that answers nothing, and credit that nobody needs
 * goes back. None runs while it has nothing to watch. On the event loop only.
 *
 * <p>A look that comes late says that this process stood still, or its event loop: what a server
 * may have said meanwhile was not heard, so that time counts against no server. Looks are so close
 * together that a pause as long as a silence cannot pass between two of them.
 */
final class PushTimers {
  /** Looks in the time of a silence. */
  private static final int LOOKS = 4;

  /** Lateness of a look that counts as a pause of our own. */
  private static final long STALL_NANOS = Duration.ofSeconds(1).toNanos();

  private final Scheduler loop;
  private final PushPipe pushes;
  private final long silenceNanos;
  private final long blockDeadlineNanos;
  private final long idleCreditNanos;
  private final Supplier<@Nullable ClientLink> link;
  private final BooleanSupplier awaited;
  private final Consumer<SluiceException> onStall;

  private long lastProgress;
  private long lastHeard;
  private boolean stopped;
  private Scheduler.@Nullable Cancellable watchdog;
  private Scheduler.@Nullable Cancellable idleTimer;

  /**
   * Timers that are not set yet.
   *
   * @param link the link of the moment, if there is one
   * @param awaited whether blocks that can go nowhere else wait for the server all the same
   * @param onStall told that the server stopped answering, when the blocks have been failed
   */
  PushTimers(
      Scheduler loop,
      PushPipe pushes,
      ClientConfig config,
      Supplier<@Nullable ClientLink> link,
      BooleanSupplier awaited,
      Consumer<SluiceException> onStall) {
    this.loop = loop;
    this.pushes = pushes;
    this.silenceNanos = config.suspectAfter().toNanos();
    this.blockDeadlineNanos = config.blockDeadline().toNanos();
    this.idleCreditNanos = config.idleCreditTimeout().toNanos();
    this.link = link;
    this.awaited = awaited;
    this.onStall = onStall;
  }

  /** Something went forward just now. */
  void progress() {
    lastProgress = loop.clock().nanoTime();
    lastHeard = lastProgress;
  }

  /** The server has said something, be it only that it lives. */
  void heard() {
    lastHeard = loop.clock().nanoTime();
  }

  /** Sets what there is something to watch for. */
  void set() {
    if (stopped) {
      return;
    }
    if (!pushes.isIdle()) {
      if (watchdog == null) {
        lookIn(Math.min(silenceNanos, blockDeadlineNanos));
      }
    } else if (idleTimer == null && pushes.hasSpareCredit()) {
      idleTimer = loop.schedule(idleCreditNanos, this::returnIdleCredit);
    }
  }

  /** For good. */
  void stop() {
    stopped = true;
    cancel(watchdog);
    cancel(idleTimer);
  }

  private static void cancel(Scheduler.@Nullable Cancellable timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private void lookIn(long most) {
    long nanos = Math.min(most, silenceNanos / LOOKS);
    long due = loop.clock().nanoTime() + nanos;
    watchdog = loop.schedule(nanos, () -> checkProgress(due));
  }

  private void checkProgress(long due) {
    watchdog = null;
    if (pushes.isIdle() || stopped) {
      return;
    }
    long now = loop.clock().nanoTime();
    if (now - due > STALL_NANOS) {
      lastHeard = now;
      lastProgress = Math.min(now, lastProgress + (now - due));
    }
    if (left(lastHeard, silenceNanos) <= 0) {
      pushes.handBackAll(
          ErrorCode.TIMED_OUT, "has said nothing for " + silenceNanos / 1_000_000 + " ms");
      // What stays, because it cannot go elsewhere, is looked at again after as long a time.
      lastHeard = loop.clock().nanoTime();
      if (pushes.isIdle()) {
        return;
      }
    }
    long left =
        awaited.getAsBoolean() ? blockDeadlineNanos : left(lastProgress, blockDeadlineNanos);
    if (left > 0) {
      lookIn(Math.min(left, left(lastHeard, silenceNanos)));
      return;
    }
    String what = "has answered no block for " + blockDeadlineNanos / 1_000_000_000 + " s";
    pushes.handBackAll(ErrorCode.TIMED_OUT, what);
    pushes.failAll(ErrorCode.TIMED_OUT, what);
    onStall.accept(new SluiceException(ErrorCode.TIMED_OUT, "the server " + what));
  }

  private void returnIdleCredit() {
    idleTimer = null;
    ClientLink current = link.get();
    if (current == null || stopped || !pushes.isIdle()) {
      return;
    }
    long left = left(lastProgress, idleCreditNanos);
    if (left > 0) {
      idleTimer = loop.schedule(left, this::returnIdleCredit);
    } else {
      pushes.giveUpCredit(Long.MAX_VALUE, current);
      current.flush();
    }
  }

  private long left(long since, long nanos) {
    return since + nanos - loop.clock().nanoTime();
  }
}
