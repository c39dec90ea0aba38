package io.sluice.simulation.scenario;

import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Placements;
import io.sluice.common.id.ShuffleKey;
import io.sluice.simulation.cluster.ServerHooks;
import io.sluice.simulation.cluster.SimClient;
import io.sluice.simulation.cluster.SimCoordinator;
import io.sluice.simulation.cluster.SimDriver;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.cluster.World;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.task.SimTasks;
import io.sluice.simulation.time.Dice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Everything that runs. */
record Cluster(
    World world,
    SimCoordinator coordinator,
    List<SimServer> servers,
    SimTasks tasks,
    SimDriver driver,
    SimClient writers,
    SimClient readers) {
  private static final long DISK_BYTES = 1L << 30;
  private static final long LONGEST_CALL_NANOS = 50_000_000;

  static Cluster of(World world, Shape shape, SimTasks tasks, Watched watched, Dice dice) {
    SimCoordinator coordinator =
        new SimCoordinator(world, shape.rules(), dice.skewed(10_000, LONGEST_CALL_NANOS));
    List<SimServer> servers = new ArrayList<>();
    for (int i = 0; i < shape.servers(); i++) {
      List<ServerDisk> disks = new ArrayList<>();
      // A server without disks for data still has one for its identity.
      for (int d = 0; d < Math.max(1, shape.disks()); d++) {
        disks.add(
            new ServerDisk("server" + i + "/disk" + d, DISK_BYTES, dice.fork(), shape.disk()));
      }
      SimServer server =
          new SimServer(
              world,
              coordinator,
              "server" + i,
              shape.server(),
              disks,
              new ServerHooks(watched.sabotage()::server, watched.sabotage()::peers, watched));
      if (watched.sabotage().sealsFirst()) {
        server.sealFirst();
      }
      servers.add(server);
    }
    SimDriver driver = new SimDriver(world, coordinator);
    return new Cluster(
        world,
        coordinator,
        servers,
        tasks,
        driver,
        client("writers", world, shape, tasks, driver, watched),
        client("readers", world, shape, tasks, driver, watched));
  }

  private static SimClient client(
      String name, World world, Shape shape, SimTasks tasks, SimDriver driver, Watched watched) {
    Placements placements =
        shape.epochs() ? Placements.from(watched.sabotage().driver(driver)) : Placements.fixed();
    return new SimClient(
        world, name, shape.client(), placements, shape.server().timeouts(), tasks, watched);
  }

  /** The processes that run maps, and those that read what they wrote. */
  List<SimClient> clients() {
    return List.of(writers, readers);
  }

  Misfortunes misfortunes() {
    return Misfortunes.soFar(world.network(), servers);
  }

  Map<ServerDisk.Fault, Integer> diskFaults() {
    return Misfortunes.ofDisks(servers);
  }

  SimServer server(PlacedServer placed) {
    return servers.stream()
        .filter(server -> server.toString().equals(placed.host()))
        .findFirst()
        .orElseThrow();
  }

  /** Removes a shuffle, as drivers do with those they have given up. */
  void remove(ShuffleKey shuffle) {
    coordinator.tell(leader -> leader.removeShuffle(shuffle));
  }
}
