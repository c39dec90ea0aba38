package io.sluice.server.disk;

import org.jspecify.annotations.Nullable;

/**
 * Every access to a disk's segments passes here, to be timed, and to tell how it ended.
 * Thread-safe.
 */
public final class DiskWatch {
  private final DiskFence fence;
  private final IoMeter meter;
  private final @Nullable DiskSentinel sentinel;

  /**
   * @param sentinel null: nobody probes the disk, so a fence only reports, and writes are tried
   *     again all the same
   */
  public DiskWatch(DiskFence fence, IoMeter meter, @Nullable DiskSentinel sentinel) {
    this.fence = fence;
    this.meter = meter;
    this.sentinel = sentinel;
  }

  /** An access begins. */
  public IoMeter.Access begin(IoMeter.Kind kind) {
    IoMeter.Access access = meter.begin(kind);
    if (sentinel != null) {
      sentinel.accessBegan();
    }
    return access;
  }

  public void readSucceeded() {
    fence.readSucceeded();
  }

  /**
   * @param place what was read
   */
  public void readFailed(Object place, Throwable failure) {
    try {
      fence.readFailed(place, failure);
    } finally {
      suspect();
    }
  }

  /** Where probes are made it heals nothing: it may have begun before what failed. */
  public void writeSucceeded() {
    if (sentinel == null) {
      fence.writeSucceeded();
    }
  }

  public void writeFailed(Throwable failure) {
    try {
      fence.writeFailed(failure);
    } finally {
      suspect();
    }
  }

  /** Whatever comes of a fence where it is heard: what is not probed is fenced for ever. */
  private void suspect() {
    if (sentinel != null) {
      sentinel.suspect();
    }
  }

  /** Whether the disk is looked after, as a server's is. */
  public boolean probes() {
    return sentinel != null;
  }

  /** Whether writes are worth trying. */
  public boolean takesWrites() {
    return sentinel == null || fence.current().healthy();
  }

  /** Whether reads are worth trying. */
  public boolean takesReads() {
    return fence.current().readable();
  }

  public DiskHealth health() {
    return fence.current();
  }

  /** See {@link DiskFence#onChange}. */
  public void onHealthChange(Runnable listener) {
    fence.onChange(listener);
  }

  /** What the disk has done and is doing. */
  public IoMeter.Io io() {
    return meter.io();
  }

  /** How often the disk was fenced. */
  public long fences() {
    return fence.fences();
  }

  /** No more probes. */
  public void close() {
    if (sentinel != null) {
      sentinel.close();
    }
  }
}
