package io.sluice.benchmarks.storage.model;

import java.util.concurrent.TimeUnit;

/**
 * A small file that grows through the page cache: what was added is written back every five
 * seconds, Linux's {@code dirty_writeback_centisecs}. Nobody waits for it, but everybody behind it.
 */
final class WriteBack {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final VirtualTime time;
  private final FileLayout file;
  private long dirty;
  private boolean due;

  WriteBack(VirtualTime time, Spindle spindle) {
    this.time = time;
    this.file = new FileLayout(spindle);
  }

  void append(long bytes) {
    dirty += bytes;
    if (!due && bytes > 0) {
      due = true;
      time.schedule(INTERVAL_NANOS, this::flush);
    }
  }

  private void flush() {
    due = false;
    file.write(file.length(), dirty);
    dirty = 0;
  }
}
