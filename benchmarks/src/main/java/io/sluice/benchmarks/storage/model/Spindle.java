package io.sluice.benchmarks.storage.model;

import io.sluice.benchmarks.storage.disk.AccessCounts;
import java.util.ArrayList;
import java.util.List;

/** One disk arm: accesses one after the other, in the order in which they are asked for. */
final class Spindle {
  /** Average seek and half a turn. */
  static final long SEEK_NANOS = 8_150_000;

  /** Sequential. */
  static final long BYTES_PER_SECOND = 176L << 20;

  private static final double NANOS = 1e9;

  private final VirtualTime time;
  private final SeekRule rule;
  private final List<DiskThread> threads = new ArrayList<>();
  private AccessCounts counts = AccessCounts.NONE;
  private long freeAt;
  private long head = -1;
  private long nextAddress;

  Spindle(VirtualTime time, SeekRule rule) {
    this.time = time;
    this.rule = rule;
  }

  void serve(DiskThread thread) {
    threads.add(thread);
  }

  /** Address of so many bytes that were never written before. */
  long allocate(long bytes) {
    long address = nextAddress;
    nextAddress += bytes;
    return address;
  }

  /** Nanoseconds that an access takes. */
  static long cost(boolean seeks, long bytes) {
    return (seeks ? SEEK_NANOS : 0) + Math.round(bytes * NANOS / BYTES_PER_SECOND);
  }

  /** Queues a write, as {@link #read}. */
  long write(long address, long bytes) {
    boolean seeks = moves(address);
    counts = counts.plus(new AccessCounts(1, bytes, 0, 0, seeks ? 1 : 0));
    return queue(address, bytes, seeks);
  }

  /**
   * Queues a read.
   *
   * @return when it will be done
   */
  long read(long address, long bytes) {
    boolean seeks = moves(address);
    counts = counts.plus(new AccessCounts(0, 0, 1, bytes, seeks ? 1 : 0));
    return queue(address, bytes, seeks);
  }

  private boolean moves(long address) {
    return rule == SeekRule.always || address != head;
  }

  private long queue(long address, long bytes, boolean seeks) {
    freeAt = Math.max(freeAt, time.nanoTime()) + cost(seeks, bytes);
    head = address + bytes;
    return freeAt;
  }

  /** Keeps the disk's thread that is running waiting; whoever else calls waits for nothing. */
  void await(long done) {
    for (DiskThread thread : threads) {
      if (thread.isCurrent()) {
        thread.waitUntil(done);
        return;
      }
    }
  }

  AccessCounts counts() {
    return counts;
  }
}
