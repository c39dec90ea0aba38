package io.sluice.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Shuffles under many seeds. {@code -Dsimulation.seeds=N} runs N of them from {@code
 * -Dsimulation.from=F} on, {@code -Dsimulation.seed=S} only the one that a failure named.
 */
class ShuffleSimulationTest {
  private static final int SEEDS = 10_000;

  /** Fewer may miss something by chance. */
  private static final int ENOUGH = 2000;

  /** Side by side; each simulation is one thread's. */
  private static final int WORKERS = 2;

  @Test
  void everySeedKeepsEveryInvariant() throws Exception {
    Long only = Long.getLong("simulation.seed");
    if (only != null) {
      try (Bench bench = new Bench()) {
        System.out.println("seed " + only + ": " + bench.run(only));
      }
      return;
    }
    long first = Long.getLong("simulation.from", 0);
    int seeds = Integer.getInteger("simulation.seeds", SEEDS);
    long begun = Clock.system().nanoTime();
    Tally tally = runAll(first, first + seeds);
    long millis = (Clock.system().nanoTime() - begun) / 1_000_000;
    System.out.println(seeds + " seeds from " + first + " in " + millis + " ms: " + tally);
    if (seeds >= ENOUGH) {
      tally.requireThatEverythingHappened();
    }
  }

  @Test
  void oneSeedAlwaysRunsTheSameWay() {
    try (Bench bench = new Bench()) {
      for (long seed = 0; seed < 20; seed++) {
        assertThat(bench.run(seed)).as("seed " + seed).isEqualTo(bench.run(seed));
      }
    }
  }

  /** All seeds, or as many as it takes until one fails. */
  private static Tally runAll(long first, long end) throws Exception {
    AtomicLong next = new AtomicLong(first);
    ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
    try {
      List<Future<Tally>> parts = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        parts.add(workers.submit(() -> runSome(next, end)));
      }
      Tally all = new Tally();
      for (Future<Tally> part : parts) {
        all.add(part.get());
      }
      return all;
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof AssertionError error) {
        throw error;
      }
      throw failed;
    } finally {
      workers.shutdownNow();
    }
  }

  private static Tally runSome(AtomicLong next, long end) {
    Tally tally = new Tally();
    try (Bench bench = new Bench()) {
      long seed;
      while ((seed = next.getAndIncrement()) < end) {
        tally.add(bench.run(seed));
      }
      return tally;
    } catch (AssertionError failure) {
      next.set(end);
      throw failure;
    }
  }
}
