package io.sluice.server.flush;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DiskFence;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.partition.ClaimableBytes;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.UnitBuilder;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills units of one disk while there is demand and a staging buffer. Each disk takes its next unit
 * when it is ready for one, from the shuffle with the most bytes at that moment: a fast disk takes
 * more, a slow one slows nobody, one that failed takes none until its pause is over.
 *
 * <p>Steps run one at a time on the flush executor, started by {@link #wake} from any thread.
 */
final class DiskFlusher {
  private static final Logger log = LoggerFactory.getLogger(DiskFlusher.class);

  /** A unit counts as full at seven eighths: the next run of a partition rarely fits exactly. */
  private static final int FULL_PARTS = 8;

  private static final long NOT_WAITING = -1;

  private final SegmentStore store;
  private final FlushContext context;
  private final StoreRoom room;
  private final SpeedWatch speed;
  // Wakes not yet looked after; whoever raises it from 0 starts the steps.
  private final AtomicInteger wakes = new AtomicInteger();
  // Writes that have ended and are not published or given back yet: as many as staging buffers,
  // and one that ends meanwhile.
  private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();
  private final Outage outage;
  // One object, however often it is left with the store.
  private final Runnable calledBack = this::calledBack;
  // How often the store said that it may have a staging buffer again, ever.
  private final AtomicLong callbacks = new AtomicLong();
  // After a failure that did not fence the store; a fence is a pause of its own, and ends by
  // itself.
  private volatile boolean paused;
  private volatile boolean closed;
  // How often it had said so before it was last asked, if it had none then.
  private volatile long waitsSince = NOT_WAITING;
  // In a row.
  private final AtomicInteger failures = new AtomicInteger();
  // What it took when it looked last. Only steps touch it.
  private Share taken = Share.NOTHING;

  /** How a write ended: with its extents or with a failure. */
  private record Ended(
      FlushUnit flush, long began, @Nullable List<Extent> extents, @Nullable Throwable failure) {}

  DiskFlusher(SegmentStore store, FlushContext context) {
    this.store = store;
    this.context = context;
    this.room = new StoreRoom(store, context.limits().tiers());
    this.speed = new SpeedWatch(store.name(), context.scheduler(), context.retryElsewhere());
    this.outage = new Outage(context.clock());
  }

  /** Has the store say when its fence falls; once, before anything else. */
  void listen() {
    store.onHealthChange(
        () -> {
          if (store.health().healthy()) {
            resume();
          }
        });
  }

  SegmentStore store() {
    return store;
  }

  /** How fit the disk is to take a unit now. */
  Fitness fitness() {
    if (paused()) {
      return Fitness.FAILED;
    }
    Fitness roomy = room.look();
    return roomy.compareTo(Fitness.SLOW) < 0 && speed.slow() ? Fitness.SLOW : roomy;
  }

  /** Whether the store takes seconds for a unit. */
  boolean slow() {
    return speed.slow();
  }

  /** Whether the disk takes nothing for now: it has just failed, is fenced, or closed. */
  boolean paused() {
    return paused || closed || fencedNanos() >= 0;
  }

  private long fencedNanos() {
    DiskHealth health = store.health();
    return health.healthy() ? -1 : outage.age(health);
  }

  /**
   * How long the disk may still take to be worth waiting for: 0 if it is not any more, as it is
   * closed, or has been fenced for longer than one that works needs to show it.
   */
  long patienceNanos() {
    return closed ? 0 : Math.max(0, DiskFence.LONGEST_RECOVERY_NANOS - fencedNanos());
  }

  /**
   * There may be more to flush. Any thread. Called for each read of a connection, too: a disk that
   * waits for a staging buffer is left alone, since its store calls back.
   */
  void memoryGrew() {
    if (waitsSince != callbacks.get() && !paused()) {
      wake();
    }
  }

  private void calledBack() {
    callbacks.incrementAndGet();
    wake();
  }

  /** Looks for something to flush. Any thread. */
  void wake() {
    if (wakes.getAndIncrement() == 0) {
      try {
        context.executor().execute(this::run);
      } catch (RejectedExecutionException e) {
        // Or no wake would ever start anything again.
        wakes.set(0);
        log.debug("{}: nothing is flushed any more, the server ends", store.name());
      }
    }
  }

  private void run() {
    int seen;
    do {
      seen = wakes.get();
      try {
        while (step()) {
          // The next unit.
        }
      } catch (SluiceException e) {
        // The store is closed or cannot stage; data stays in memory.
        fail(e);
      } catch (RuntimeException e) {
        // A thread's edge: a bug must not end flushing for good, with wakes never looked after.
        log.error("{}: a flush failed unexpectedly", store.name(), e);
        fail(e);
      }
    } while (wakes.addAndGet(-seen) != 0);
    context.settled().run();
  }

  /**
   * Looks after the writes that have ended, then fills one unit; false if there is nothing to do,
   * or nothing to do it with.
   */
  private boolean step() {
    for (Ended write = ended.poll(); write != null; write = ended.poll()) {
      settle(write);
    }
    Demand demand = paused || closed ? Demand.NONE : context.gauge().demand();
    if (demand == Demand.NONE) {
      return false;
    }
    Share share = shareOrTrial();
    Shuffle shuffle = share == Share.NOTHING ? null : fullest(share);
    if (shuffle == null) {
      return false;
    }
    // Before the plan, which looks at every partition: without a buffer that would be in vain.
    UnitBuilder unit = tryStage(shuffle);
    if (unit == null) {
      return false;
    }
    long began = context.clock().nanoTime();
    FlushUnit flush = planAndFill(unit, shuffle, share, demand);
    if (flush == null) {
      return false;
    }
    int parts = UnitPace.parts(flush.bytes(), fullBytes());
    long handedOver = speed.began();
    // Looked after here: the disk's thread goes on with the next unit meanwhile.
    store.write(
        unit,
        (extents, failure) -> {
          speed.ended(handedOver, parts, extents != null);
          ended.add(new Ended(flush, began, extents, failure));
          wake();
        });
    return true;
  }

  private @Nullable UnitBuilder tryStage(Shuffle shuffle) {
    // Before it is asked: it may call back while it says that there is none.
    long before = callbacks.get();
    UnitBuilder unit = store.tryStage(shuffle.key(), calledBack);
    waitsSince = unit == null ? before : NOT_WAITING;
    return unit;
  }

  /**
   * Fills a unit with what makes the best one.
   *
   * @return null if there is nothing for it; then, and if this throws, the unit is discarded
   */
  private @Nullable FlushUnit planAndFill(
      UnitBuilder unit, Shuffle shuffle, Share share, Demand demand) {
    FlushUnit flush = null;
    try {
      FlushPlanner.Range range = plan(shuffle, share, demand);
      flush = range == null ? null : fill(unit, shuffle, range, share);
      return flush;
    } finally {
      if (flush == null) {
        unit.discard();
      }
    }
  }

  /**
   * Counts a whole unit as leaving before anything is claimed for it: what is neither claimable nor
   * leaving has been saved, for whoever looks meanwhile.
   */
  private @Nullable FlushUnit fill(
      UnitBuilder unit, Shuffle shuffle, FlushPlanner.Range range, Share share) {
    long atMost = unit.remaining();
    context.gauge().leaving(atMost);
    long filled = 0;
    try {
      FlushUnit flush = FlushUnit.fill(unit, shuffle, range, partition -> takes(share, partition));
      filled = flush.bytes();
      return flush.isEmpty() ? null : flush;
    } finally {
      context.gauge().leaving(filled - atMost);
    }
  }

  /**
   * Of a slow disk that is passed by nobody would learn that it is fast again: so it gets a unit
   * now and then, beside those that the others take.
   */
  private Share shareOrTrial() {
    Share share = share();
    boolean trial =
        share == Share.NOTHING
            && !context.gauge().draining()
            && speed.trialDue()
            && room.look() == Fitness.FIT;
    return trial ? Share.ALL : share;
  }

  /** What falls to this disk; who leaves some of what it took tells the others, who may be idle. */
  private Share share() {
    Share before = taken;
    taken = context.choice().get().share(this);
    if (taken.lacks(before)) {
      context.choice().get().wakeTakers();
    }
    return taken;
  }

  private boolean takes(Share share, PartitionBuffer partition) {
    return share.includes(partition.storedBytes() >= hugeBytes());
  }

  private long hugeBytes() {
    return context.limits().tiers().hugePartitionBytes();
  }

  private @Nullable Shuffle fullest(Share share) {
    Shuffle fullest = null;
    long most = 0;
    for (Shuffle shuffle : context.registry().all()) {
      long bytes = flushableBytes(shuffle, share);
      if (bytes > most) {
        most = bytes;
        fullest = shuffle;
      }
    }
    return fullest;
  }

  /** Looks at single partitions only where some are huge and others not. */
  private long flushableBytes(Shuffle shuffle, Share share) {
    if (!mixed(shuffle, share)) {
      return share == Share.HUGE ? 0 : shuffle.flushableBytes();
    }
    return LongStream.of(claimable(shuffle, share).pages()).sum();
  }

  private boolean mixed(Shuffle shuffle, Share share) {
    return share != Share.ALL && shuffle.largestStoredBytes() >= hugeBytes();
  }

  private ClaimableBytes claimable(Shuffle shuffle, Share share) {
    return shuffle.claimable(mixed(shuffle, share) ? partition -> takes(share, partition) : null);
  }

  private FlushPlanner.@Nullable Range plan(Shuffle shuffle, Share share, Demand demand) {
    return FlushPlanner.plan(claimable(shuffle, share), fullBytes(), demand == Demand.ANYTHING);
  }

  /** What fills a unit. */
  private int fullBytes() {
    return Math.max(context.unitBytes(), store.unitBytes() / FULL_PARTS * (FULL_PARTS - 1));
  }

  private void settle(Ended write) {
    FlushUnit flush = write.flush;
    try {
      if (write.extents != null) {
        boolean huge = flush.publish(store, write.extents, hugeBytes());
        failures.set(0);
        if (huge) {
          // What is left of it may be another store's now, which has nothing to do.
          context.choice().get().wakeTakers();
        }
        context.stats().flushed(flush.bytes(), context.clock().nanoTime() - write.began);
      } else {
        flush.giveBack();
        fail(write.failure);
      }
    } finally {
      context.gauge().leaving(-flush.bytes());
    }
  }

  private void fail(@Nullable Throwable failure) {
    ErrorCode code = failure instanceof SluiceException coded ? coded.code() : null;
    if (code == ErrorCode.UNKNOWN_SHUFFLE) {
      return; // removed while being written
    }
    if (code == ErrorCode.SHUTTING_DOWN) {
      closed = true;
      return;
    }
    context.stats().flushFailed();
    if (store.health().healthy()) {
      pause(failure);
    } else {
      log.warn(
          "{}: a unit could not be written; its blocks stay in memory until the fence falls, or go"
              + " to another disk",
          store.name(),
          failure);
    }
    context.retryElsewhere().run();
  }

  private void pause(@Nullable Throwable failure) {
    int before = failures.getAndIncrement();
    long delay = context.retryNanos() << Math.min(before, FlushLimits.MAX_RETRY_DOUBLINGS);
    paused = true;
    log.warn(
        "{}: a unit could not be written; its blocks stay in memory, the disk is tried again in"
            + " {} ms",
        store.name(),
        delay / 1_000_000,
        failure);
    context.scheduler().schedule(delay, this::resume);
  }

  private void resume() {
    paused = false;
    // Of what the store answered before it failed nothing is relied on.
    waitsSince = NOT_WAITING;
    wake();
  }
}
