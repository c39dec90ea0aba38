package io.sluice.server.fetch;

import io.sluice.common.time.Scheduler;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Streams that read the same extents at the same time, kept so close together that a byte read from
 * a disk for one of them is still in memory when the last of them wants it.
 *
 * <p><b>Together.</b> What was read from a disk stays in memory for a while; a hundred readers that
 * drift further apart than that read everything a hundred times. Nothing else pulls them together:
 * who is ahead waits for the disk and who is behind does so too. So a stream may issue a read only
 * while it is less than the spread ahead of the slowest one. A disk that serves a hundred readers
 * has time to spare; what they wait for is the network and each other's turn.
 *
 * <p><b>Who comes late</b> begins where the others are and reads what it has missed in the end,
 * together with others who came late: readers do not care in which order extents come.
 *
 * <p><b>Who is slow</b> must not slow others down. While somebody waits, time is charged to the
 * slowest, and twice its fair share of it forgiven; who is {@value #PATIENCE_SECONDS} s in debt is
 * not waited for any more, unless it catches up, and with it goes everybody who has not moved for
 * as long: who is stuck costs the others a second, however many are. In a convoy of equals the
 * slowest changes all the time, so nobody gets there; about half of them, if slower than the rest,
 * do, and of two the slower one. Who waits for the disk is not slow: a disk that hangs for a moment
 * would else be asked for everything by each of a hundred readers. Nor does it count when nobody
 * has looked at the time, as while the process itself stands still.
 *
 * <p>Thread-safe by its own lock, under which nothing else is locked and nobody is called.
 */
final class Convoy {
  static final long PATIENCE_SECONDS = 1;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);

  /** While somebody waits the time is looked at so often. */
  private static final long LOOK_NANOS = PATIENCE_NANOS / 4;

  /** Of the time that somebody waits, each is forgiven so many times its share, at most half. */
  private static final double FORGIVEN_SHARES = 2;

  private static final double FORGIVEN_MAX = 0.5;

  private final Scheduler scheduler;
  private final long spread;
  private final Set<Passage> passages = new LinkedHashSet<>();
  private final Set<Passage> waiting = new LinkedHashSet<>();
  private @Nullable Passage slowest;
  // Nanoseconds that count, of them those during which somebody waited, and up to when they are.
  private long counted;
  private long waited;
  private long countedTo;
  private boolean timed;

  /**
   * @param spread bytes between the first and the last, at most
   */
  Convoy(Scheduler scheduler, long spread) {
    this.scheduler = scheduler;
    this.spread = spread;
  }

  /** Adds a stream that reads so many extents. */
  synchronized Passage join(int extents, Runnable wake, Consumer<Passage> onLeave) {
    Passage leader = null;
    for (Passage passage : passages) {
      if (leader == null || passage.position > leader.position) {
        leader = passage;
      }
    }
    Passage joining;
    if (leader == null) {
      joining = new Passage(this, 0, 0, wake, onLeave);
    } else if (leader.position - leader.extentBegin <= spread && leader.extent < extents) {
      joining = new Passage(this, leader.extent, leader.extentBegin, wake, onLeave);
    } else {
      long next = leader.extentBegin + leader.extentLength;
      joining = new Passage(this, (leader.extent + 1) % extents, next, wake, onLeave);
    }
    count();
    passages.add(joining);
    joining.heldAsOf = waited;
    joining.movedAt = counted;
    chooseSlowest();
    return joining;
  }

  synchronized boolean alone() {
    return passages.size() <= 1;
  }

  boolean mayRead(Passage passage) {
    synchronized (this) {
      count();
      chooseSlowest();
      if (isCloseEnough(passage)) {
        waiting.remove(passage);
        return true;
      }
      waiting.add(passage);
      if (timed) {
        return false;
      }
      timed = true;
    }
    scheduler.schedule(LOOK_NANOS, this::look);
    return false;
  }

  private boolean isCloseEnough(Passage passage) {
    return slowest == null || passage.position - slowest.position < spread;
  }

  void advance(Passage passage, int extent, int extentLength, int bytes) {
    List<Passage> woken;
    synchronized (this) {
      if (extent != passage.extent) {
        passage.extent = extent;
        passage.extentBegin = passage.position;
      }
      passage.extentLength = extentLength;
      passage.position += bytes;
      woken = settle();
      passage.movedAt = counted;
    }
    woken.forEach(Passage::wake);
  }

  synchronized void awaitsDisk(Passage passage, boolean awaits) {
    count();
    passage.atDisk = awaits;
    passage.movedAt = counted;
  }

  synchronized void rewind(Passage passage, long bytes) {
    count();
    passage.position -= bytes;
    passage.extent = passage.first();
    passage.extentBegin = passage.position;
    chooseSlowest();
  }

  /** Removes a stream. */
  synchronized Left remove(Passage passage) {
    count();
    passages.remove(passage);
    waiting.remove(passage);
    return new Left(passages.isEmpty(), settle());
  }

  /**
   * What a stream that has gone leaves behind.
   *
   * @param nobody whether it was the last
   * @param woken who may go on, to be woken by the caller when it holds no lock
   */
  record Left(boolean nobody, List<Passage> woken) {}

  /** Somebody has waited: maybe for one that does not move at all. */
  private void look() {
    List<Passage> woken;
    boolean again;
    synchronized (this) {
      woken = settle();
      again = !waiting.isEmpty();
      timed = again;
    }
    if (again) {
      scheduler.schedule(LOOK_NANOS, this::look);
    }
    woken.forEach(Passage::wake);
  }

  /** Who need not wait any more. */
  private List<Passage> settle() {
    count();
    chooseSlowest();
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<Passage> woken = new ArrayList<>();
    for (Passage passage : waiting) {
      if (isCloseEnough(passage)) {
        woken.add(passage);
      }
    }
    woken.forEach(waiting::remove);
    return woken;
  }

  /** Charges the time since the last call to the slowest, if anybody waited. */
  private void count() {
    long now = scheduler.clock().nanoTime();
    long since = Math.min(now - countedTo, 2 * LOOK_NANOS);
    countedTo = now;
    counted += since;
    if (!waiting.isEmpty() && slowest != null && !slowest.atDisk) {
      waited += since;
      slowest.held += since;
      slowest.heldAsOf = waited;
      if (slowest.held >= PATIENCE_NANOS) {
        slowest.excused = true;
        excuseWhoIsStuck();
      }
    }
  }

  private void excuseWhoIsStuck() {
    for (Passage passage : passages) {
      boolean stuck = !waiting.contains(passage) && !passage.atDisk;
      if (stuck && counted - passage.movedAt >= PATIENCE_NANOS) {
        passage.excused = true;
      }
    }
  }

  private void chooseSlowest() {
    Passage least = null;
    for (Passage passage : passages) {
      if (!passage.excused && (least == null || passage.position < least.position)) {
        least = passage;
      }
    }
    if (least != slowest && least != null) {
      forgive(least);
    }
    slowest = least;
    readmit();
  }

  private void forgive(Passage passage) {
    double share = Math.min(FORGIVEN_MAX, FORGIVEN_SHARES / passages.size());
    long forgiven = (long) ((waited - passage.heldAsOf) * share);
    passage.held = Math.max(0, passage.held - forgiven);
    passage.heldAsOf = waited;
  }

  /** Who has caught up is waited for again. */
  private void readmit() {
    Passage least = slowest;
    if (least == null) {
      return;
    }
    for (Passage passage : passages) {
      if (passage.excused && passage.position >= least.position) {
        passage.excused = false;
        passage.held = 0;
        passage.heldAsOf = waited;
      }
    }
  }
}
