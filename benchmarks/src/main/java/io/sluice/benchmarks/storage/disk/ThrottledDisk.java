package io.sluice.benchmarks.storage.disk;

import io.sluice.common.time.Scheduler;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.util.concurrent.CompletableFuture;

/**
 * A disk whose writes take as long as on a slower one. One write at a time, as a server's disk
 * thread does it; reads are as fast as before.
 */
public final class ThrottledDisk extends ForwardingDisk {
  private static final double NANOS = 1e9;

  private final Scheduler scheduler;
  private final double nanosPerByte;
  // When the disk is done with what it was given.
  private long busyUntil;

  /**
   * @param bytesPerSecond that it writes
   */
  public ThrottledDisk(Disk disk, Scheduler scheduler, long bytesPerSecond) {
    super(disk);
    this.scheduler = scheduler;
    this.nanosPerByte = NANOS / bytesPerSecond;
    this.busyUntil = scheduler.clock().nanoTime();
  }

  @Override
  protected DiskFile wrap(String name, DiskFile file) {
    return new ForwardingFile(file) {
      @Override
      protected void wrote(long position, int length) {
        awaitTurn(length);
      }

      @Override
      protected void read(long position, int length) {}
    };
  }

  private void awaitTurn(int length) {
    long left;
    synchronized (this) {
      long now = scheduler.clock().nanoTime();
      busyUntil = Math.max(busyUntil, now) + (long) (length * nanosPerByte);
      left = busyUntil - now;
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    scheduler.schedule(left, () -> done.complete(null));
    done.join();
  }
}
