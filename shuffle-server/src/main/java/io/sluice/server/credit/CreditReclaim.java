package io.sluice.server.credit;

import io.sluice.common.time.Scheduler;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Asks for credit back: of those who have not pushed for a while, and, while somebody waits for
 * memory, of everyone. Thread-safe; under its lock nothing else is locked.
 *
 * <p>Only connections with more than a seed are known here, and of these at most {@value
 * #BATCH_MAX} are asked at a time while memory is short, in turn: a server of 10,000 connections
 * has better things to do then than to ask all of them ten times a second.
 */
final class CreditReclaim {
  static final int BATCH_MAX = 1024;
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Scheduler scheduler;
  private final long idleNanos;
  // Guarded by this. Who was asked goes to the end.
  private final Set<CreditHolder> rich = new LinkedHashSet<>();
  private boolean idleTimerRuns;
  private boolean askedBefore;
  private long lastAskedNanos;

  CreditReclaim(Scheduler scheduler, long idleNanos) {
    this.scheduler = scheduler;
    this.idleNanos = idleNanos;
  }

  /** A connection has more than its seed now. */
  synchronized void add(CreditHolder holder) {
    rich.add(holder);
    startIdleTimer();
  }

  /** It has not, or it is gone. */
  synchronized void remove(CreditHolder holder) {
    rich.remove(holder);
  }

  /** Memory is short: asks some, unless others were asked just before. */
  void atShortage() {
    List<CreditHolder> asked;
    synchronized (this) {
      long now = scheduler.clock().nanoTime();
      if (askedBefore && now - lastAskedNanos < INTERVAL_NANOS) {
        return;
      }
      askedBefore = true;
      lastAskedNanos = now;
      asked = nextBatch();
    }
    ask(asked, true);
  }

  private List<CreditHolder> nextBatch() {
    List<CreditHolder> batch = new ArrayList<>(Math.min(BATCH_MAX, rich.size()));
    for (Iterator<CreditHolder> all = rich.iterator();
        all.hasNext() && batch.size() < BATCH_MAX; ) {
      batch.add(all.next());
      all.remove();
    }
    rich.addAll(batch);
    return batch;
  }

  private void startIdleTimer() {
    if (!idleTimerRuns && !rich.isEmpty()) {
      idleTimerRuns = true;
      scheduler.schedule(idleNanos, this::lookForIdle);
    }
  }

  private void lookForIdle() {
    List<CreditHolder> all;
    synchronized (this) {
      idleTimerRuns = false;
      all = List.copyOf(rich);
      startIdleTimer();
    }
    ask(all, false);
  }

  private static void ask(List<CreditHolder> holders, boolean urgent) {
    for (CreditHolder holder : holders) {
      holder.executor().execute(() -> holder.reclaim(urgent));
    }
  }
}
