package io.sluice.server.credit;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.time.Scheduler;
import io.sluice.server.fair.TurnQueue;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryReservation;
import io.sluice.server.memory.MemoryShortage;
import io.sluice.transport.TransportLimits;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands out credit. Thread-safe.
 *
 * <p>Seeds come from a reserve taken at start. More is granted in answer to WANTs, as memory frees,
 * fairly between applications and, within one, between its connections ({@link TurnQueue}; the
 * arithmetic is in {@code docs/credit.md}). The broker waits at the budget for the least that the
 * next WANT can use and is called by whoever frees it. While anyone waits, nobody else gets memory
 * through the broker, so that freed memory goes to those whose turn it is. A WANT is granted what
 * it asks for, or its share of what is free, but at least the charge of the largest block: every
 * block can be sent eventually.
 *
 * <p>The last of the memory, the headroom, is only for applications that have had less than their
 * share: so one that wants little does not even wait for a disk.
 *
 * <p>A WANT is refused when nothing was granted to anybody for its deadline while it waited: as
 * long as the line moves its turn comes, and how long is too long is for the client to say.
 *
 * <p>A WANT that has to wait has unused credit asked back. Once nothing was granted for {@value
 * #PATIENCE_MILLIS} ms in spite of that, the broker counts as starving until something is.
 */
public final class CreditBroker implements MemoryShortage {
  private static final int UNIT = TransportLimits.CREDIT_UNIT;
  private static final int SHORT_FRACTION = 8;

  // Long beside a round trip, in which credit comes back; short beside the deadline of a WANT.
  static final long PATIENCE_MILLIS = 200;
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);

  private final CreditLimits limits;
  private final MemoryBudget budget;
  private final Scheduler scheduler;
  private final GrantPolicy policy;
  private final Runnable onShortage;
  private final CreditReclaim reclaim;
  private final MemoryReservation seeds;
  private final long headroom;
  private final TurnQueue<CreditHolder, Want> waiting = new TurnQueue<>();
  // What waits of each connection there is.
  private final Map<CreditHolder, Set<Want>> holders = new HashMap<>();
  private Scheduler.@Nullable Cancellable patience;
  private volatile boolean starving;
  // While something waits: when something was granted last, or when the waiting began.
  private long grantedAt;
  // Read without the lock, by ingest, to know whether memory is short.
  private volatile int waitingCount;

  /**
   * @param onShortage told that a WANT has to wait, and when it begins to starve; must be quick and
   *     take no lock
   */
  public CreditBroker(
      CreditLimits limits,
      MemoryBudget budget,
      Scheduler scheduler,
      GrantPolicy policy,
      Runnable onShortage) {
    limits.check(budget.capacity());
    this.limits = limits;
    this.budget = budget;
    this.scheduler = scheduler;
    this.policy = policy;
    this.onShortage = onShortage;
    this.reclaim = new CreditReclaim(scheduler, limits.idleNanos());
    this.headroom = limits.headroomBytes(budget.capacity());
    this.seeds = budget.empty();
    if (!seeds.grow(limits.reserveBytes())) {
      throw new IllegalStateException("the arena is in use already");
    }
  }

  public CreditLimits limits() {
    return limits;
  }

  /** By the clock that deadlines of WANTs go by. */
  long now() {
    return scheduler.clock().nanoTime();
  }

  /** WANTs that have not been answered yet. */
  public int wants() {
    return waitingCount;
  }

  /** What is set aside for connections to come. */
  synchronized long seedsLeft() {
    return seeds.bytes();
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
    holders.put(holder, new LinkedHashSet<>());
    refillSeeds();
    return seeds.split(Math.min(limits.seedBytes(), seeds.bytes()));
  }

  /** A connection has gone; takes what it held. Its WANTs are forgotten. */
  public void leave(CreditHolder holder, MemoryReservation held) {
    reclaim.remove(holder);
    synchronized (this) {
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
      Set<Want> own = holders.get(holder);
      if (own == null) {
        throw new IllegalStateException("a WANT of a connection that has not joined");
      }
      own.add(want);
      waiting.add(application, holder, want);
      pump();
      if (want.answered) {
        return;
      }
      want.deadline = scheduler.schedule(limits.wantTimeoutNanos(), () -> expire(want));
    }
    reclaim.atShortage();
    onShortage.run();
  }

  /** Forgets a connection that is closing, and its WANTs. */
  private void forget(CreditHolder holder) {
    Set<Want> own = holders.remove(holder);
    for (Want want : own == null ? Set.<Want>of() : own) {
      waiting.remove(want.application, holder, want);
      want.answer();
    }
    pump();
  }

  /** Answers every WANT that waits: nobody has a use for credit. */
  public synchronized void refuseAll(ErrorCode code) {
    for (Want want : waiting.removeAll()) {
      answer(want);
      want.holder.executor().execute(() -> want.holder.refused(code));
    }
    pump();
  }

  private void expire(Want want) {
    ErrorCode why = policy.shortage(want.application);
    synchronized (this) {
      if (want.answered) {
        return;
      }
      long left = grantedAt + limits.wantTimeoutNanos() - scheduler.clock().nanoTime();
      if (left > 0) {
        want.deadline = scheduler.schedule(left, () -> expire(want));
        return;
      }
      if (waiting.remove(want.application, want.holder, want)) {
        answer(want);
        want.holder.executor().execute(() -> want.holder.refused(why));
        pump();
      }
    }
  }

  private void answer(Want want) {
    want.answer();
    Set<Want> own = holders.get(want.holder);
    if (own != null) {
      own.remove(want);
    }
  }

  /**
   * Credit that an application was granted came back unused: it did not have that share. If the
   * connection waits for more, it waits for that too: with the grant it must have what it asked to
   * have.
   */
  synchronized void givenBack(CreditHolder holder, Object application, long bytes) {
    waiting.giveBack(application, bytes, policy.weight(application));
    Set<Want> own = holders.get(holder);
    if (own != null && !own.isEmpty()) {
      Want first = own.iterator().next();
      long most = Math.max(limits.maxConnectionBytes(), limits.maxCharge()) / UNIT * UNIT;
      first.bytes = Math.min(first.bytes + (bytes + UNIT - 1) / UNIT * UNIT, most);
    }
  }

  /** A connection has more credit than its seed, or has not any more. On its event loop. */
  void rich(CreditHolder holder, boolean is) {
    if (is) {
      reclaim.add(holder);
    } else {
      reclaim.remove(holder);
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
        grantedAt = scheduler.clock().nanoTime();
        starving = false;
      }
      waitingCount = waiting.size();
      if (waiting.isEmpty()) {
        endPatience();
        budget.stopWaiting();
        return;
      }
      beginPatience();
    } while (!budget.awaitFree(due(waiting.peek()), this::pump));
  }

  private void beginPatience() {
    if (patience == null) {
      grantedAt = scheduler.clock().nanoTime();
      patience = scheduler.schedule(PATIENCE_NANOS, this::lookWhetherStarving);
    }
  }

  private void endPatience() {
    starving = false;
    if (patience != null) {
      patience.cancel();
      patience = null;
    }
  }

  private void lookWhetherStarving() {
    synchronized (this) {
      if (patience == null) {
        return; // the last one was granted at this very moment
      }
      long left = grantedAt + PATIENCE_NANOS - scheduler.clock().nanoTime();
      starving = left <= 0;
      patience = scheduler.schedule(starving ? PATIENCE_NANOS : left, this::lookWhetherStarving);
      if (!starving) {
        return;
      }
    }
    reclaim.atShortage();
    onShortage.run();
  }

  private @Nullable Grant nextGrant() {
    Want want = waiting.peek();
    if (want == null) {
      return null;
    }
    long usable = budget.free() - heldBack();
    long least = least(want);
    if (usable < least) {
      return null;
    }
    long share = usable / waiting.size() / UNIT * UNIT;
    long bytes = Math.min(want.bytes, Math.max(share, least));
    MemoryReservation credit = budget.tryReserve(bytes);
    if (credit == null) {
      return null;
    }
    answer(waiting.poll(bytes, policy.weight(want.application)));
    return new Grant(want, credit);
  }

  /** What whoever is next must leave free. */
  private long heldBack() {
    return waiting.headIsBehind() ? 0 : headroom;
  }

  /** How much must be free for a WANT that is next. */
  private long due(@Nullable Want want) {
    return want == null ? 0 : least(want) + heldBack();
  }

  private long least(Want want) {
    return Math.min(want.bytes, limits.maxCharge());
  }

  private record Grant(Want want, MemoryReservation credit) {}

  private static final class Want {
    private final CreditHolder holder;
    private final Object application;
    private long bytes;
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
