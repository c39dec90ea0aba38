package io.sluice.server.credit;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.time.Scheduler;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryReservation;
import io.sluice.server.memory.MemoryShortage;
import io.sluice.transport.TransportLimits;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands out credit. Thread-safe.
 *
 * <p>Seeds come from a reserve taken at start. More is granted in answer to WANTs, in turn, as
 * memory frees: the broker waits at the budget for the least that the next WANT can use and is
 * called by whoever frees it. While anyone waits, nobody else gets memory through the broker, so
 * that freed memory goes to those whose turn it is. A WANT is granted what it asks for, or its
 * share of what is free, but at least the charge of the largest block: every block can be sent
 * eventually.
 *
 * <p>A WANT that has to wait has unused credit asked back from everyone. Once nothing was granted
 * for {@value #PATIENCE_MILLIS} ms in spite of that, the broker counts as starving until something
 * is.
 */
public final class CreditBroker implements MemoryShortage {
  private static final int UNIT = TransportLimits.CREDIT_UNIT;
  private static final int SHORT_FRACTION = 8;
  private static final long RECLAIM_INTERVAL_NANOS = 100_000_000;

  // Long beside a round trip, in which credit comes back; short beside the deadline of a WANT.
  static final long PATIENCE_MILLIS = 200;

  private final CreditLimits limits;
  private final MemoryBudget budget;
  private final Scheduler scheduler;
  private final Runnable onShortage;
  private final MemoryReservation seeds;
  private final WantQueue<Want> waiting = new WantQueue<>();
  private final Set<CreditHolder> holders = new LinkedHashSet<>();
  private boolean idleTimerRuns;
  private Scheduler.@Nullable Cancellable patience;
  private volatile boolean starving;
  private boolean reclaimedBefore;
  private long lastReclaimNanos;
  // Read without the lock, by ingest, to know whether memory is short.
  private volatile int waitingCount;

  /**
   * @param onShortage told that a WANT has to wait, and when it begins to starve; must be quick and
   *     take no lock
   */
  public CreditBroker(
      CreditLimits limits, MemoryBudget budget, Scheduler scheduler, Runnable onShortage) {
    limits.check(budget.capacity());
    this.limits = limits;
    this.budget = budget;
    this.scheduler = scheduler;
    this.onShortage = onShortage;
    this.seeds = budget.empty();
    if (!seeds.grow(limits.reserveBytes())) {
      throw new IllegalStateException("the arena is in use already");
    }
  }

  public CreditLimits limits() {
    return limits;
  }

  /** WANTs that have not been answered yet. */
  public int wants() {
    return waitingCount;
  }

  @Override
  public boolean waiting() {
    return waitingCount > 0;
  }

  @Override
  public boolean starving() {
    return starving;
  }

  /**
   * Whether memory should go to those who asked for it rather than into chunks with room to grow.
   */
  public boolean memoryShort() {
    return waitingCount > 0 || budget.free() < budget.capacity() / SHORT_FRACTION;
  }

  /** A new connection's credit: its seed, or what is left of the seeds. */
  public synchronized MemoryReservation join(CreditHolder holder) {
    holders.add(holder);
    refillSeeds();
    startIdleTimer();
    return seeds.split(Math.min(limits.seedBytes(), seeds.bytes()));
  }

  /** A connection has gone; takes what it held. Its WANTs are forgotten. */
  public void leave(CreditHolder holder, MemoryReservation held) {
    synchronized (this) {
      holders.remove(holder);
      forget(holder);
      long missing = seedsMissing();
      seeds.absorb(held.split(Math.min(missing, held.bytes())));
    }
    held.close();
    synchronized (this) {
      refillSeeds();
    }
  }

  private long seedsMissing() {
    long due = limits.seedBytes() * Math.max(0, limits.maxConnections() - holders.size());
    return Math.max(0, due - seeds.bytes());
  }

  private void refillSeeds() {
    if (waiting.isEmpty()) {
      // Seeds that turned into blocks come back from what is free.
      regain(seeds, seedsMissing());
    }
  }

  /**
   * Takes memory for a connection that would otherwise have to ask: for refunds.
   *
   * @return bytes by which the reservation grew, in whole units, at most {@code bytes}; 0 while
   *     WANTs wait
   */
  public long regain(MemoryReservation held, long bytes) {
    if (waitingCount > 0) {
      return 0;
    }
    long part = bytes;
    while (part >= UNIT) {
      if (held.grow(part)) {
        return part;
      }
      part = Math.min(part / 2, budget.free()) / UNIT * UNIT;
    }
    return 0;
  }

  /**
   * Queues a WANT; the answer comes to the holder in a task of its own.
   *
   * @param application whose turn it takes
   * @param bytes wanted, at least 1
   * @param credit the connection's credit now, which limits what it gets
   */
  public void want(CreditHolder holder, Object application, long bytes, long credit) {
    long most = Math.max(limits.maxConnectionBytes() - credit, limits.maxCharge());
    long asked = Math.min((bytes + UNIT - 1) / UNIT * UNIT, most / UNIT * UNIT);
    Want want = new Want(holder, application, asked);
    synchronized (this) {
      waiting.add(application, want);
      pump();
      if (want.answered) {
        return;
      }
      want.deadline = scheduler.schedule(limits.wantTimeoutNanos(), () -> expire(want));
      reclaimAtShortage();
    }
    onShortage.run();
  }

  /** Forgets the WANTs of a connection that is closing. */
  private void forget(CreditHolder holder) {
    waiting.removeIf(want -> want.holder == holder).forEach(Want::answer);
    pump();
  }

  /** Answers every WANT that waits: nobody has a use for credit. */
  public synchronized void refuseAll(ErrorCode code) {
    for (Want want : waiting.removeIf(any -> true)) {
      want.answer();
      want.holder.executor().execute(() -> want.holder.refused(code));
    }
    pump();
  }

  private synchronized void expire(Want want) {
    if (waiting.remove(want.application, want)) {
      want.answer();
      want.holder.executor().execute(() -> want.holder.refused(ErrorCode.NO_MEMORY));
      pump();
    }
  }

  private void reclaimAtShortage() {
    long now = scheduler.clock().nanoTime();
    if (!reclaimedBefore || now - lastReclaimNanos >= RECLAIM_INTERVAL_NANOS) {
      reclaimedBefore = true;
      lastReclaimNanos = now;
      reclaim(true);
    }
  }

  private synchronized void lookForIdleCredit() {
    idleTimerRuns = false;
    reclaim(false);
    startIdleTimer();
  }

  private void startIdleTimer() {
    if (!idleTimerRuns && !holders.isEmpty()) {
      idleTimerRuns = true;
      scheduler.schedule(limits.idleNanos(), this::lookForIdleCredit);
    }
  }

  private void reclaim(boolean urgent) {
    for (CreditHolder holder : holders) {
      holder.executor().execute(() -> holder.reclaim(urgent));
    }
  }

  /** Grants what can be granted, then waits for the rest to become free. */
  private synchronized void pump() {
    do {
      Grant grant;
      while ((grant = nextGrant()) != null) {
        Grant granted = grant;
        CreditHolder holder = granted.want.holder;
        holder.executor().execute(() -> holder.granted(granted.credit));
        endPatience();
      }
      waitingCount = waiting.size();
      if (waiting.isEmpty()) {
        endPatience();
        budget.stopWaiting();
        return;
      }
      beginPatience();
    } while (!budget.awaitFree(least(waiting.peek()), this::pump));
  }

  private void beginPatience() {
    if (patience == null && !starving) {
      patience =
          scheduler.schedule(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS), this::patienceIsOver);
    }
  }

  private void endPatience() {
    starving = false;
    if (patience != null) {
      patience.cancel();
      patience = null;
    }
  }

  private void patienceIsOver() {
    synchronized (this) {
      if (patience == null) {
        return; // granted at this very moment
      }
      patience = null;
      starving = true;
      reclaimAtShortage();
    }
    onShortage.run();
  }

  private @Nullable Grant nextGrant() {
    Want want = waiting.peek();
    if (want == null) {
      return null;
    }
    long share = Math.max(0, budget.free()) / waiting.size() / UNIT * UNIT;
    long bytes = Math.min(want.bytes, Math.max(share, least(want)));
    MemoryReservation credit = budget.tryReserve(bytes);
    if (credit == null) {
      return null;
    }
    waiting.poll();
    want.answer();
    return new Grant(want, credit);
  }

  private long least(@Nullable Want want) {
    return want == null ? 0 : Math.min(want.bytes, limits.maxCharge());
  }

  private record Grant(Want want, MemoryReservation credit) {}

  private static final class Want {
    private final CreditHolder holder;
    private final Object application;
    private final long bytes;
    private boolean answered;
    private Scheduler.@Nullable Cancellable deadline;

    Want(CreditHolder holder, Object application, long bytes) {
      this.holder = holder;
      this.application = application;
      this.bytes = bytes;
    }

    void answer() {
      answered = true;
      if (deadline != null) {
        deadline.cancel();
      }
    }
  }
}
