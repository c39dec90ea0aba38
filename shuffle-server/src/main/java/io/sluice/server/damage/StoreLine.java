package io.sluice.server.damage;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.server.fair.TurnQueue;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.segment.SegmentStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The looks at what lies in one store: one read at a time, into one buffer. Applications take
 * turns, and so do the connections of each; a turn is an extent, a unit at most. A disk that hangs
 * holds up nobody but this line, and that until it is fenced.
 *
 * <p>Thread-safe by its monitor, under which nobody is called and nothing is locked but the list of
 * pending partitions. At any time at most one of these exists, each of which brings about the next:
 * a task on the executor, a pause, or a read under way that is {@link #reading}. What the steps
 * change without the monitor, looks that have their turn and the buffer's bytes, is handed on by
 * the monitor.
 */
final class StoreLine {
  private static final Logger log = LoggerFactory.getLogger(StoreLine.class);

  /** Partitions of one application that wait; those complained of beyond are not looked at. */
  static final int APPLICATION_MAX = 64;

  /** The same for one connection: as many as an executor may have tasks that come upon damage. */
  static final int CONNECTION_MAX = 16;

  static final int BUFFER_BYTES = 64 << 10;

  /** Until a disk is asked again for which too many reads wait: ten reads of a spindle. */
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final SegmentStore store;
  private final Executor executor;
  private final Scheduler scheduler;
  private final PendingPartitions pending;
  private final DamageReport report;

  // Guarded by this: all looks, and those that wait for their turn.
  private final Map<PartitionBuffer, Look> looks = new LinkedHashMap<>();
  private final TurnQueue<Object, Look> turns = new TurnQueue<>();
  private boolean busy;
  private @Nullable ExtentReading reading;
  private @Nullable ByteBuffer buffer;

  StoreLine(
      SegmentStore store,
      Executor executor,
      Scheduler scheduler,
      PendingPartitions pending,
      DamageReport report) {
    this.store = store;
    this.executor = executor;
    this.scheduler = scheduler;
    this.pending = pending;
    this.report = report;
  }

  /**
   * See {@link ExtentChecks#complaint}.
   *
   * @param lately in nanoseconds: what was looked through since is left out
   * @return false if too many wait already
   */
  boolean complaint(Object connection, Shuffle shuffle, PartitionBuffer partition, long lately) {
    synchronized (this) {
      Look there = looks.get(partition);
      if (there != null) {
        there.repeat(lately);
        return true;
      }
      if (!hasPlace(connection, shuffle)) {
        return false;
      }
      Look look = new Look(new Look.Cause(connection, shuffle, partition, lately), store, pending);
      looks.put(partition, look);
      turns.add(look.application(), connection, look);
      if (busy) {
        return true;
      }
      busy = true;
    }
    execute(this::next);
    return true;
  }

  private boolean hasPlace(Object connection, Shuffle shuffle) {
    int ofApplication = 0;
    int ofConnection = 0;
    for (Look look : looks.values()) {
      ofApplication += look.application().equals(shuffle.key().application()) ? 1 : 0;
      ofConnection += look.connection() == connection ? 1 : 0;
    }
    return ofApplication < APPLICATION_MAX && ofConnection < CONNECTION_MAX;
  }

  /** The server's end also ends the looks. */
  private void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException stopped) {
      log.debug("the server ends: no extents are looked through", stopped);
    }
  }

  private void next() {
    for (Look look = takeTurn(); look != null; look = takeTurn()) {
      try {
        Look.Item item = look.next(scheduler.clock().nanoTime());
        if (item != null) {
          goOn(new ExtentReading(look, item));
          return;
        }
        turnIsOver(look);
      } catch (RuntimeException | Error e) {
        giveUp(look, e);
      }
    }
  }

  private synchronized @Nullable Look takeTurn() {
    busy = !turns.isEmpty();
    return busy ? turns.poll(1, 1) : null;
  }

  private void turnIsOver(Look look) {
    synchronized (this) {
      if (!look.isOver()) {
        turns.add(look.application(), look.connection(), look);
        return;
      }
      looks.remove(look.partition(), look);
    }
    look.end();
    report.ended(look);
  }

  private void giveUp(Look look, Throwable failure) {
    synchronized (this) {
      looks.remove(look.partition(), look);
    }
    look.end();
    log.error("{}: giving up", look, failure);
  }

  private void goOn(ExtentReading current) {
    ByteBuffer last = lastBuffer();
    ByteBuffer target = last == null ? ByteBuffer.allocateDirect(BUFFER_BYTES) : last;
    synchronized (this) {
      buffer = target;
      reading = current;
    }
    try {
      current.read(target, failure -> execute(() -> landed(current, target, failure)));
    } catch (RuntimeException | Error e) {
      // Whether that read is under way nobody knows: it is heard no more, and keeps its buffer.
      if (takeFromStore(current, true)) {
        giveUp(current.look(), e);
        execute(this::next);
      }
    }
  }

  private synchronized @Nullable ByteBuffer lastBuffer() {
    return buffer;
  }

  /** False if the read is given up already, and with it the buffer. */
  private synchronized boolean takeFromStore(ExtentReading current, boolean withoutBuffer) {
    if (reading != current) {
      return false;
    }
    reading = null;
    buffer = withoutBuffer ? null : buffer;
    return true;
  }

  private void landed(ExtentReading current, ByteBuffer bytes, @Nullable Throwable failure) {
    if (!takeFromStore(current, false)) {
      return;
    }
    Look look = current.look();
    long now = scheduler.clock().nanoTime();
    try {
      if (failure instanceof SluiceException refused
          && refused.code() == ErrorCode.TOO_MANY_STREAMS) {
        look.putBack();
        turnIsOver(look);
        pause();
        return;
      } else if (failure != null) {
        // That says nothing of headers: readers leave the extent out by themselves.
        log.debug("{}: a read failed", look, failure);
        look.unreadable(failure);
      } else if (!current.goThrough(bytes)) {
        goOn(current);
        return;
      } else {
        current.conclude(now, report);
      }
      look.done(now);
      turnIsOver(look);
    } catch (RuntimeException | Error e) {
      // A thread's edge: others are looked at all the same.
      giveUp(look, e);
    }
    next();
  }

  /** Readers come first; and with as many of them, the next read would be refused at once too. */
  private void pause() {
    try {
      scheduler.schedule(PAUSE_NANOS, () -> execute(this::next));
    } catch (RejectedExecutionException stopped) {
      log.debug("the server ends: no extents are looked through", stopped);
    }
  }

  /** A disk that does not answer is fenced: then the read that it has is waited for no more. */
  void healthChanged() {
    if (store.health().readable()) {
      return;
    }
    ExtentReading hung;
    synchronized (this) {
      hung = reading;
    }
    if (hung != null && takeFromStore(hung, true)) {
      execute(
          () -> {
            givenUp(hung.look());
            next();
          });
    }
  }

  private void givenUp(Look look) {
    try {
      look.unreadable(new SluiceException(ErrorCode.DATA_LOST, "the disk does not answer"));
      look.done(scheduler.clock().nanoTime());
      turnIsOver(look);
    } catch (RuntimeException | Error e) {
      // A thread's edge: others are looked at all the same.
      giveUp(look, e);
    }
  }

  /** Forgets what waits of shuffles that were removed. */
  void dropRemoved() {
    List<Look> dropped = new ArrayList<>();
    synchronized (this) {
      for (Look look : List.copyOf(looks.values())) {
        if (look.shuffle().removed() && turns.remove(look.application(), look.connection(), look)) {
          looks.remove(look.partition(), look);
          dropped.add(look);
        }
      }
    }
    dropped.forEach(Look::end);
  }
}
