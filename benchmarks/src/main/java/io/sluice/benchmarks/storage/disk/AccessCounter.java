package io.sluice.benchmarks.storage.disk;

import org.jspecify.annotations.Nullable;

/** Counts the accesses of one disk. Thread-safe. */
final class AccessCounter {
  private AccessCounts counts = AccessCounts.NONE;
  private @Nullable Object file;
  private long end;

  synchronized void wrote(Object to, long position, int length) {
    counts =
        new AccessCounts(
            counts.writes() + 1,
            counts.writtenBytes() + length,
            counts.reads(),
            counts.readBytes(),
            counts.seeks() + moved(to, position, length));
  }

  synchronized void read(Object from, long position, int length) {
    counts =
        new AccessCounts(
            counts.writes(),
            counts.writtenBytes(),
            counts.reads() + 1,
            counts.readBytes() + length,
            counts.seeks() + moved(from, position, length));
  }

  private int moved(Object to, long position, int length) {
    boolean stayed = to.equals(file) && position == end;
    file = to;
    end = position + length;
    return stayed ? 0 : 1;
  }

  synchronized AccessCounts counts() {
    return counts;
  }
}
