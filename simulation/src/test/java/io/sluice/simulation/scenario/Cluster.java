package io.sluice.simulation.scenario;

import io.sluice.client.PlacedServer;
import io.sluice.common.id.ShuffleKey;
import io.sluice.simulation.cluster.ServerHooks;
import io.sluice.simulation.cluster.SimClient;
import io.sluice.simulation.cluster.SimQuorum;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.cluster.World;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.invariant.AckBook;
import io.sluice.simulation.invariant.AckBook.Life;
import io.sluice.simulation.task.SimTasks;
import io.sluice.simulation.time.Dice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Everything that runs. */
record Cluster(
    World world,
    SimQuorum quorum,
    List<SimServer> servers,
    AckBook acks,
    SimTasks tasks,
    List<Application> applications) {
  private static final long LONGEST_CALL_NANOS = 50_000_000;

  static Cluster of(World world, Shape shape, SimTasks tasks, Watched watched, Dice dice) {
    SimQuorum quorum =
        new SimQuorum(
            world, shape.rules(), shape.coordinators(), dice.skewed(10_000, LONGEST_CALL_NANOS));
    if (watched.sabotage().flattersLeaders()) {
      quorum.flatterLeaders();
    }
    List<SimServer> servers = new ArrayList<>();
    AckBook acks = new AckBook();
    for (int i = 0; i < shape.servers(); i++) {
      servers.add(server("server" + i, world, shape, quorum, watched, acks, dice));
    }
    List<Application> applications = new ArrayList<>();
    for (Workload workload : shape.workloads()) {
      applications.add(
          Application.of(applications.size(), workload, shape, world, quorum, tasks, watched));
    }
    return new Cluster(world, quorum, servers, acks, tasks, applications);
  }

  private static SimServer server(
      String name,
      World world,
      Shape shape,
      SimQuorum quorum,
      Watched watched,
      AckBook acks,
      Dice dice) {
    Sabotage sabotage = watched.sabotage();
    SimServer[] self = new SimServer[1];
    List<ServerDisk> disks = new ArrayList<>();
    // A server without disks for data still has one for its identity.
    for (int d = 0; d < Math.max(1, shape.disks()); d++) {
      disks.add(new ServerDisk(name + "/disk" + d, dice.fork(), shape.disk()));
    }
    SimServer server =
        new SimServer(
            world,
            quorum,
            name,
            shape.server(),
            disks,
            new ServerHooks(
                core ->
                    AckWatch.over(
                        sabotage.server(core), acks, () -> new Life(name, self[0].incarnation())),
                sabotage::peers,
                sabotage::intactStore,
                watched));
    self[0] = server;
    if (sabotage.sealsFirst()) {
      server.sealFirst();
    }
    return server;
  }

  /** The processes that run maps, and those that read what they wrote, of all applications. */
  List<SimClient> clients() {
    return applications.stream().flatMap(application -> application.clients().stream()).toList();
  }

  Misfortunes misfortunes() {
    return Misfortunes.soFar(world, servers);
  }

  Map<ServerDisk.Fault, Integer> diskFaults() {
    return Misfortunes.ofDisks(servers);
  }

  SimServer server(PlacedServer placed) {
    return server(placed.host());
  }

  SimServer server(String name) {
    return servers.stream()
        .filter(server -> server.toString().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Removes a shuffle, as drivers do with those they have given up. */
  void remove(ShuffleKey shuffle) {
    quorum.tell(leader -> leader.removeShuffle(shuffle));
  }
}
