package io.sluice.benchmarks.processors;

import io.sluice.common.time.Clock;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long a cache line takes from one processor to another and back. Two threads change one number
 * in turn, and nothing else runs meanwhile; the quickest of some batches counts, which is when both
 * threads had a processor to themselves.
 *
 * <p>Whatever goes from one process to another over loopback is written by one processor and read
 * by the other, so its cost depends on this. A virtual machine's processors are threads of its
 * host, which may put them on cores that share a cache at one moment and on ones that do not at the
 * next; the machine itself sees no trace of it but this.
 */
public final class CacheLine implements RoundTrip {
  private static final int BATCHES = 12;
  private static final int ROUNDS = 500;
  private static final int SPINS_BEFORE_YIELD = 1 << 14;
  // A line of its own, neighbours that are fetched along with it included.
  private static final int AT = 32;
  private static final int LONGS = 64;
  private static final long END = -1;

  private final Clock clock = Clock.system();

  @Override
  public double nanos() throws InterruptedException {
    if (Runtime.getRuntime().availableProcessors() < 2) {
      return 0;
    }
    AtomicLongArray line = new AtomicLongArray(LONGS);
    Thread partner = new Thread(() -> answer(line), "cache-line");
    partner.setDaemon(true);
    partner.start();
    long quickest = Long.MAX_VALUE;
    for (int i = 0; i < BATCHES; i++) {
      quickest = Math.min(quickest, batch(line));
    }
    line.set(AT, END);
    partner.join();
    return (double) quickest / ROUNDS;
  }

  private long batch(AtomicLongArray line) {
    long began = clock.nanoTime();
    long from = line.getAcquire(AT);
    for (long ask = from + 1; ask < from + 2L * ROUNDS; ask += 2) {
      line.setRelease(AT, ask);
      awaitOther(line, ask);
    }
    return clock.nanoTime() - began;
  }

  /** Makes every odd number the next even one. */
  private static void answer(AtomicLongArray line) {
    long last = 0;
    while (true) {
      long asked = awaitOther(line, last);
      if (asked == END) {
        return;
      }
      last = asked + 1;
      line.setRelease(AT, last);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // of the answer nothing depends on it, but its delay
  private static long awaitOther(AtomicLongArray line, long than) {
    for (int spins = 1; ; spins++) {
      long now = line.getAcquire(AT);
      if (now != than) {
        return now;
      }
      // Both may be on one processor.
      if (spins % SPINS_BEFORE_YIELD == 0) {
        Thread.yield();
      }
    }
  }
}
