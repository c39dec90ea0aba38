package io.sluice.server.disk;

import io.sluice.common.time.Scheduler;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Watches one disk: notices accesses that do not return, and probes the disk while it is fenced.
 * Timers run only while there is something to watch. Thread-safe.
 *
 * <p>A probe is a chore of the disk, so a disk that hangs holds one chore, not a thread of anyone
 * else.
 */
public final class DiskSentinel {
  static final long PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final DiskQueue queue;
  private final Scheduler scheduler;
  private final DiskFence fence;
  private final IoMeter meter;
  private final DiskProbe probe;
  private final long patienceNanos;
  private final Events events;
  private boolean probing;
  private boolean watching;
  private boolean closed;

  /** What the owner of the disk hears. On any thread. */
  public interface Events {
    /** Accesses do not return: whoever waits for one waits in vain. */
    void stalled();

    /** The fence has fallen. */
    void healed();
  }

  /**
   * What is watched.
   *
   * @param records mends the catalog if need be; throws if it takes no records all the same
   */
  public record Watched(
      Disk disk, DiskQueue queue, DiskFence fence, IoMeter meter, Runnable records) {}

  /**
   * @param neededSpace bytes that must be free for the disk to count as healthy
   */
  public DiskSentinel(Watched watched, long neededSpace, Scheduler scheduler, Events events) {
    this.queue = watched.queue();
    this.fence = watched.fence();
    this.meter = watched.meter();
    this.probe = new DiskProbe(watched.disk(), neededSpace, watched.records());
    this.patienceNanos = watched.disk().patienceNanos();
    this.scheduler = scheduler;
    this.events = events;
  }

  /** An access begins. */
  public void accessBegan() {
    synchronized (this) {
      if (watching || closed) {
        return;
      }
      watching = true;
    }
    scheduler.schedule(patienceNanos, this::look);
  }

  private void look() {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    long age = meter.oldestNanos();
    if (age < 0) {
      synchronized (this) {
        watching = false;
      }
      if (!fence.current().readable()) {
        fence.returned();
      }
      // One may have begun between the two.
      if (meter.oldestNanos() >= 0) {
        accessBegan();
      }
      return;
    }
    if (age >= patienceNanos) {
      tellOfStall(age);
    } else {
      fence.returned();
      scheduler.schedule(patienceNanos - age, this::look);
    }
  }

  /**
   * Whatever comes of it where it is heard, the disk is looked at again, or it is fenced for ever.
   */
  private void tellOfStall(long age) {
    try {
      fence.stalled(age);
      events.stalled();
    } finally {
      suspect();
      scheduler.schedule(PROBE_NANOS, this::look);
    }
  }

  /** The disk may have been fenced: probes it until it is healthy. */
  public void suspect() {
    synchronized (this) {
      if (probing || closed || fence.current().healthy()) {
        return;
      }
      probing = true;
    }
    scheduler.schedule(PROBE_NANOS, this::queueProbe);
  }

  private void queueProbe() {
    if (!queue.chore(this::probeNow)) {
      again();
    }
  }

  private void again() {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    scheduler.schedule(PROBE_NANOS, this::queueProbe);
  }

  private void probeNow() {
    boolean healthy = false;
    try {
      probe.run();
      healthy = fence.current().readable() && fence.probePassed();
    } catch (IOException | RuntimeException e) {
      // A thread's edge: after a bug, too, the disk is probed again, or it stays fenced for ever.
      fence.probeFailed(e);
    }
    if (healthy) {
      synchronized (this) {
        probing = false;
      }
      // Who was told of its health may have found it ill again, while this probe was still one.
      suspect();
      events.healed();
    } else {
      again();
    }
  }

  /** No more timers. */
  public synchronized void close() {
    closed = true;
  }
}
