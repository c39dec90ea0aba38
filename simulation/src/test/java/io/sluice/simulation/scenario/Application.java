package io.sluice.simulation.scenario;

import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Placements;
import io.sluice.simulation.cluster.SimClient;
import io.sluice.simulation.cluster.SimDriver;
import io.sluice.simulation.cluster.SimQuorum;
import io.sluice.simulation.cluster.World;
import io.sluice.simulation.task.SimTasks;
import io.sluice.simulation.time.SimProcess;
import java.util.List;

/**
 * One application's processes: its driver, one that runs maps, and one that reads what they wrote.
 *
 * @param user whose it is
 */
record Application(
    String name,
    String user,
    Workload workload,
    SimDriver driver,
    SimClient writers,
    SimClient readers) {

  /**
   * @param number names it
   */
  static Application of(
      int number,
      Workload workload,
      Shape shape,
      World world,
      SimQuorum quorum,
      SimTasks tasks,
      Watched watched) {
    String name = "app" + number;
    SimDriver driver = new SimDriver(world, name + "/driver", quorum);
    return new Application(
        name,
        // Two applications of one user, or of two.
        "user" + (shape.oneUser() ? 0 : number),
        workload,
        driver,
        client(name + "/writers", workload, shape, world, driver, tasks, watched),
        client(name + "/readers", workload, shape, world, driver, tasks, watched));
  }

  private static SimClient client(
      String name,
      Workload workload,
      Shape shape,
      World world,
      SimDriver driver,
      SimTasks tasks,
      Watched watched) {
    PlacementSource told = watched.told(name, watched.sabotage().driver(driver));
    Placements placements = workload.epochs() ? Placements.from(told) : Placements.fixed();
    return new SimClient(
        world,
        name,
        workload.client(),
        placements,
        shape.server().timeouts(),
        watched.sabotage().signals(tasks),
        watched);
  }

  List<SimClient> clients() {
    return List.of(writers, readers);
  }

  List<SimProcess> processes() {
    return List.of(driver.process(), writers.process(), readers.process());
  }

  @Override
  public String toString() {
    return name;
  }
}
