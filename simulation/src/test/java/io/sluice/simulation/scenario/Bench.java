package io.sluice.simulation.scenario;

import io.sluice.simulation.invariant.ErrorLogWatch;
import io.sluice.simulation.invariant.Invariant;
import io.sluice.simulation.invariant.Violation;
import io.sluice.simulation.memory.DirectMemory;
import io.sluice.simulation.scenario.ShuffleSimulation.Equipment;
import io.sluice.simulation.scenario.ShuffleSimulation.Summary;
import io.sluice.simulation.task.TaskThreads;
import java.util.List;

/** Runs one simulation after the other; of one thread. */
final class Bench implements AutoCloseable {
  private static final int TRACED_EVENTS = 200;

  private final TaskThreads threads = new TaskThreads();
  private final ErrorLogWatch log = new ErrorLogWatch();
  private final Equipment equipment = new Equipment(threads, new DirectMemory(), log);

  ShuffleSimulation simulation(long seed, Sabotage sabotage) {
    return new ShuffleSimulation(seed, sabotage, equipment);
  }

  /**
   * @throws AssertionError naming the invariant that does not hold, the seed, how to repeat it, and
   *     what led there
   */
  Summary run(long seed) {
    ShuffleSimulation simulation = simulation(seed, Sabotage.NONE);
    try {
      return simulation.run();
    } catch (Violation violation) {
      throw report(violation.invariant(), seed, simulation, violation);
    } catch (RuntimeException | Error unexpected) {
      throw report(Invariant.NO_UNEXPECTED_FAILURE, seed, simulation, unexpected);
    }
  }

  static AssertionError report(
      Invariant invariant, long seed, ShuffleSimulation simulation, Throwable failure) {
    return new AssertionError(
        String.join(
            "\n",
            invariant + " does not hold under seed " + seed + ": " + failure.getMessage(),
            "repeat with: mvn verify -pl simulation -am -Dtest=ShuffleSimulationTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.seed="
                + seed,
            simulation.toString(),
            String.join("\n", lastEvents(simulation))),
        failure);
  }

  private static List<String> lastEvents(ShuffleSimulation simulation) {
    return simulation.trace().last(TRACED_EVENTS);
  }

  @Override
  public void close() {
    threads.close();
    log.close();
  }
}
