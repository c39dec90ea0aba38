package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.cluster.ClusterEvent.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The latest {@value #LIMIT} events of a term, and who waits for the next. Confined to the control
 * thread.
 */
public final class EventLog {
  /** At 300 bytes each 300 KB; a rolling restart of 100 servers makes 300. */
  static final int LIMIT = 1_000;

  /**
   * Who may wait at once: all connections of three coordinators, 128 each, and some more. Each is
   * 200 bytes and a timer.
   */
  static final int WAITERS = 400;

  private final Scheduler scheduler;
  private final Deque<ClusterEvent> events = new ArrayDeque<>();
  // In the order in which they came.
  private final Set<Waiter> waiters = new LinkedHashSet<>();
  private long last;
  private boolean telling;
  private boolean closed;

  EventLog(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Notes what happened. */
  public void add(Kind kind, String subject, String text) {
    if (events.size() == LIMIT) {
      events.removeFirst();
    }
    events.addLast(
        new ClusterEvent(++last, scheduler.clock().wallTimeMillis(), kind, subject, text));
    if (!waiters.isEmpty() && !telling) {
      // What happens together is told together.
      telling = true;
      scheduler.execute(this::tell);
    }
  }

  /** The first events above a number, or the latest of all if that is 0; oldest first. */
  public List<ClusterEvent> after(long number, int limit) {
    List<ClusterEvent> above = events.stream().filter(event -> event.number() > number).toList();
    return number > 0
        ? above.subList(0, Math.min(limit, above.size()))
        : above.subList(Math.max(0, above.size() - limit), above.size());
  }

  /**
   * Completes, on the control thread, when there is an event above a number, at once if there is
   * one; or after that time, or with the end of the term, without one. Whoever has a number that
   * this term has not reached has it from another, and is not kept waiting.
   *
   * @throws SluiceException TOO_MANY_STREAMS if {@value #WAITERS} wait already
   */
  public CompletionStage<Void> await(long number, long nanos) {
    if (last != number || nanos == 0 || closed) {
      return CompletableFuture.completedFuture(null);
    }
    if (waiters.size() == WAITERS) {
      throw new SluiceException(
          ErrorCode.TOO_MANY_STREAMS, WAITERS + " callers wait for events already");
    }
    Waiter waiter = new Waiter(number);
    waiters.add(waiter);
    waiter.timer = scheduler.schedule(nanos, () -> end(waiter));
    return waiter.told;
  }

  /** Number of the latest one, 0 before the first. */
  public long last() {
    return last;
  }

  /** The term ends: nobody waits any longer. */
  void close() {
    closed = true;
    List.copyOf(waiters).forEach(this::end);
  }

  private void tell() {
    telling = false;
    for (Waiter waiter : new ArrayList<>(waiters)) {
      if (last > waiter.above) {
        end(waiter);
      }
    }
  }

  private void end(Waiter waiter) {
    waiters.remove(waiter);
    if (waiter.timer != null) {
      waiter.timer.cancel();
    }
    waiter.told.complete(null);
  }

  /** One call that waits. */
  private static final class Waiter {
    private final long above;
    private final CompletableFuture<Void> told = new CompletableFuture<>();
    private @Nullable Cancellable timer;

    Waiter(long above) {
      this.above = above;
    }
  }
}
