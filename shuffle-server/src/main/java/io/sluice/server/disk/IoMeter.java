package io.sluice.server.disk;

import io.sluice.common.time.Clock;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Times the accesses to one disk: how many there were, how long they took, for how long the disk
 * had any, and how old the oldest is that has not ended. Thread-safe; its lock is held for a few
 * instructions, once at each end of an access.
 */
public final class IoMeter {
  /** What an access is. */
  public enum Kind {
    READ,
    WRITE,
    /** Of the file system about itself: watched as the others are, counted with neither. */
    ASK
  }

  private final Clock clock;
  private final Sum reads = new Sum();
  private final Sum writes = new Sum();
  private final Sum asked = new Sum();
  // Accesses under way and when they began, oldest first.
  private final Map<Access, Long> underWay = new LinkedHashMap<>();
  private long busyNanos;
  private long busySince;

  public IoMeter(Clock clock) {
    this.clock = clock;
  }

  /** An access begins; it has to be {@link Access#end ended}, well or not. */
  public Access begin(Kind kind) {
    Access access = new Access(kind);
    synchronized (this) {
      long now = clock.nanoTime();
      if (underWay.isEmpty()) {
        busySince = now;
      }
      underWay.put(access, now);
    }
    return access;
  }

  private synchronized void end(Access access) {
    long now = clock.nanoTime();
    Long began = underWay.remove(access);
    if (began == null) {
      return;
    }
    Sum sum = sum(access.kind);
    sum.count++;
    sum.nanos += now - began;
    if (underWay.isEmpty()) {
      busyNanos += now - busySince;
    }
  }

  private Sum sum(Kind kind) {
    return switch (kind) {
      case READ -> reads;
      case WRITE -> writes;
      case ASK -> asked;
    };
  }

  /** Age of the oldest access under way in nanoseconds; -1 if there is none. */
  public synchronized long oldestNanos() {
    Iterator<Long> oldestFirst = underWay.values().iterator();
    return oldestFirst.hasNext() ? clock.nanoTime() - oldestFirst.next() : -1;
  }

  /** A look at all figures. */
  public synchronized Io io() {
    long now = clock.nanoTime();
    return new Io(
        reads.count,
        reads.nanos,
        writes.count,
        writes.nanos,
        busyNanos + (underWay.isEmpty() ? 0 : now - busySince),
        underWay.size());
  }

  /**
   * Since start, but for the last.
   *
   * @param busyNanos time with at least one access under way: utilisation, over elapsed time
   * @param underWay accesses at this moment
   */
  public record Io(
      long reads, long readNanos, long writes, long writeNanos, long busyNanos, int underWay) {
    /** Nothing was ever done. */
    public static final Io NONE = new Io(0, 0, 0, 0, 0, 0);
  }

  /** Of one kind. */
  private static final class Sum {
    private long count;
    private long nanos;
  }

  /** One access. */
  public final class Access {
    private final Kind kind;

    private Access(Kind kind) {
      this.kind = kind;
    }

    /** Again is harmless. */
    public void end() {
      IoMeter.this.end(this);
    }
  }
}
