package io.sluice.server.disk;

import io.sluice.common.file.IoReason;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How much room a disk has, as of a moment ago. Whoever asks gets what is known and never waits for
 * the file system, which may hang where it is a remote one; asking has what has become old renewed,
 * as a chore of the disk. Thread-safe.
 */
public final class DiskSpace {
  /** A statvfs a second is nothing; what others write in a second is what the reserve is for. */
  static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Disk disk;
  private final DiskQueue queue;
  private final DiskWatch watch;
  private final Clock clock;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Answer last;

  /**
   * What is known. In bytes.
   *
   * @param answers whether the file system told it; if not, both are 0
   */
  public record Room(long capacity, long free, boolean answers) {}

  /** The time is that of the asking. */
  private record Answer(Room room, long atNanos) {}

  /** Nothing is known before {@link #begin}. */
  public DiskSpace(Disk disk, DiskQueue queue, DiskWatch watch, Clock clock) {
    this.disk = disk;
    this.queue = queue;
    this.watch = watch;
    this.clock = clock;
    last = new Answer(new Room(0, 0, false), clock.nanoTime());
  }

  /**
   * Asks for the first time, and waits, unwatched: nobody waits for the disk yet but whoever opens
   * it, and all that he does there is waited for in the same way. Once, before anybody else asks.
   */
  public void begin() {
    last = ask();
  }

  /** Never waits. */
  public Room known() {
    Answer answer = last;
    if (clock.nanoTime() - answer.atNanos() > FRESH_NANOS && asking.compareAndSet(false, true)) {
      if (!queue.chore(this::renewAsked)) {
        asking.set(false);
      }
    }
    return answer.room();
  }

  private void renewAsked() {
    try {
      renew();
    } finally {
      asking.set(false);
    }
  }

  /** Asks again, and waits; on a thread of the disk. */
  public void renew() {
    Answer answer;
    IoMeter.Access access = watch.begin(IoMeter.Kind.ASK);
    try {
      answer = ask();
    } finally {
      access.end();
    }
    synchronized (this) {
      // Of two that asked at once the later one knows better.
      if (answer.atNanos() - last.atNanos() >= 0) {
        last = answer;
      }
    }
  }

  private Answer ask() {
    long now = clock.nanoTime();
    try {
      return new Answer(new Room(disk.capacity(), disk.free(), true), now);
    } catch (IOException e) {
      // It will hardly take a write either: fenced, it is logged and looked after.
      watch.writeFailed(
          new IOException(disk.name() + " cannot be asked for its room: " + IoReason.of(e), e));
      return new Answer(new Room(0, 0, false), now);
    }
  }
}
