package io.sluice.server.cache;

import java.util.concurrent.atomic.LongAdder;

/** Counts of a cache since start. Thread-safe. */
final class ReadCounters {
  private final LongAdder asked = new LongAdder();
  private final LongAdder askedBytes = new LongAdder();
  private final LongAdder hits = new LongAdder();
  private final LongAdder hitBytes = new LongAdder();
  private final LongAdder copiedBytes = new LongAdder();
  private final LongAdder loads = new LongAdder();
  private final LongAdder loadedBytes = new LongAdder();

  void asked(int bytes) {
    asked.increment();
    askedBytes.add(bytes);
  }

  void hit(int bytes) {
    hits.increment();
    hitBytes.add(bytes);
  }

  void copied(int bytes) {
    copiedBytes.add(bytes);
  }

  void loaded(int bytes) {
    loads.increment();
    loadedBytes.add(bytes);
  }

  ReadActivity activity(ReadActivity.Now now) {
    return new ReadActivity(
        asked.sum(),
        askedBytes.sum(),
        hits.sum(),
        hitBytes.sum(),
        copiedBytes.sum(),
        loads.sum(),
        loadedBytes.sum(),
        now);
  }
}
