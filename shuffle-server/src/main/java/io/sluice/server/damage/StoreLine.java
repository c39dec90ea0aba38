package io.sluice.server.damage;

import io.sluice.common.time.Clock;
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
 * a task on the executor, or a read under way that is {@link #reading}. What the steps change
 * without the monitor, looks that have their turn and the buffer's bytes, is handed on by the
 * monitor.
 */
final class StoreLine {
  private static final Logger log = LoggerFactory.getLogger(StoreLine.class);

  /** Partitions of one application that wait; those complained of beyond are not looked at. */
  static final int APPLICATION_MAX = 64;

  /** The same for one connection: as many as an executor may have tasks that come upon damage. */
  static final int CONNECTION_MAX = 16;

  static final int BUFFER_BYTES = 64 << 10;

  private final SegmentStore store;
  private final Executor executor;
  private final Clock clock;
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
      Clock clock,
      PendingPartitions pending,
      DamageReport report) {
    this.store = store;
    this.executor = executor;
    this.clock = clock;
    this.pending = pending;
    this.report = report;
  }

  /** See {@link ExtentChecks#complaint}. */
  void complaint(Object connection, Shuffle shuffle, PartitionBuffer partition) {
    synchronized (this) {
      Look there = looks.get(partition);
      if (there != null) {
        there.repeat();
        return;
      }
      if (!hasPlace(connection, shuffle)) {
        report.noPlace(shuffle.key(), partition.partition());
        return;
      }
      Look look = new Look(connection, shuffle, partition, store, pending);
      looks.put(partition, look);
      turns.add(look.application(), connection, look);
      if (busy) {
        return;
      }
      busy = true;
    }
    execute(this::next);
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
        Look.Item item = look.next(clock.nanoTime());
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
      looks.remove(look.partition());
    }
    look.end();
    report.ended(look);
  }

  private void giveUp(Look look, Throwable failure) {
    synchronized (this) {
      looks.remove(look.partition());
    }
    look.end();
    log.error("{}: giving up", look, failure);
  }

  private void goOn(ExtentReading current) {
    ByteBuffer target;
    synchronized (this) {
      target = buffer == null ? ByteBuffer.allocateDirect(BUFFER_BYTES) : buffer;
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
    try {
      if (failure != null) {
        // That says nothing of headers: readers leave the extent out by themselves.
        log.debug("{}: a read failed", look, failure);
        look.unreadable();
      } else if (!current.look(bytes)) {
        goOn(current);
        return;
      } else {
        current.conclude(clock.nanoTime(), report);
      }
      look.done();
      turnIsOver(look);
    } catch (RuntimeException | Error e) {
      // A thread's edge: others are looked at all the same.
      giveUp(look, e);
    }
    next();
  }

  /** A disk that does not answer is fenced: then the read that it has is waited for no more. */
  void healthChanged() {
    if (store.health().healthy()) {
      return;
    }
    ExtentReading hung;
    synchronized (this) {
      hung = reading;
    }
    if (hung != null && takeFromStore(hung, true)) {
      execute(
          () -> {
            hung.look().unreadable();
            hung.look().done();
            turnIsOver(hung.look());
            next();
          });
    }
  }

  /** Forgets what waits of shuffles that were removed. */
  void dropRemoved() {
    List<Look> dropped = new ArrayList<>();
    synchronized (this) {
      for (Look look : List.copyOf(looks.values())) {
        if (look.shuffle().removed() && turns.remove(look.application(), look.connection(), look)) {
          looks.remove(look.partition());
          dropped.add(look);
        }
      }
    }
    dropped.forEach(Look::end);
  }
}
