package io.sluice.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import io.sluice.simulation.invariant.ErrorLogWatch;
import io.sluice.simulation.memory.DirectMemory;
import io.sluice.simulation.scenario.ShuffleSimulation.Equipment;
import io.sluice.simulation.scenario.ShuffleSimulation.Summary;
import io.sluice.simulation.task.TaskThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Shuffles under many seeds. {@code -Dsimulation.seeds=N} runs N of them from {@code
 * -Dsimulation.from=F} on, {@code -Dsimulation.seed=S} only the one that a failure named.
 */
class ShuffleSimulationTest {
  /** What one core runs in less than a minute. */
  private static final int SEEDS = 2500;

  private static final int TRACED_EVENTS = 200;

  private final TaskThreads threads = new TaskThreads();
  private final ErrorLogWatch log = new ErrorLogWatch();
  private final Equipment equipment = new Equipment(threads, new DirectMemory(), log);

  @AfterEach
  void endThreads() {
    threads.close();
    log.close();
  }

  @Test
  void everySeedKeepsEveryInvariant() {
    Long only = Long.getLong("simulation.seed");
    if (only != null) {
      System.out.println("seed " + only + ": " + run(only));
      return;
    }
    long first = Long.getLong("simulation.from", 0);
    int seeds = Integer.getInteger("simulation.seeds", SEEDS);
    long begun = Clock.system().nanoTime();
    Tally tally = new Tally();
    for (long seed = first; seed < first + seeds; seed++) {
      tally.add(run(seed));
    }
    long millis = (Clock.system().nanoTime() - begun) / 1_000_000;
    System.out.println(seeds + " seeds from " + first + " in " + millis + " ms: " + tally);
    if (seeds >= SEEDS) {
      tally.requireThatEverythingHappened();
    }
  }

  @Test
  void oneSeedAlwaysRunsTheSameWay() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(run(seed)).as("seed " + seed).isEqualTo(run(seed));
    }
  }

  private Summary run(long seed) {
    ShuffleSimulation simulation = new ShuffleSimulation(seed, Sabotage.NONE, equipment);
    try {
      return simulation.run();
    } catch (Throwable failure) {
      throw new AssertionError(
          "seed "
              + seed
              + " (repeat with -Dsimulation.seed="
              + seed
              + "): "
              + failure.getMessage()
              + "\n"
              + simulation
              + "\n"
              + String.join("\n", simulation.trace().last(TRACED_EVENTS)),
          failure);
    }
  }
}
