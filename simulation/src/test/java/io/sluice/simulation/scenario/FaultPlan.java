package io.sluice.simulation.scenario;

import io.sluice.simulation.cluster.SimQuorum;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.cluster.World;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import io.sluice.simulation.time.SimProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What goes wrong with whole processes, and when everything is mended. Network and disks roll their
 * own dice.
 */
final class FaultPlan {
  private static final double SOME = 0.2;
  private static final long FIRST_NANOS = 1_000_000;
  private static final long LONGEST_OUTAGE_NANOS = Shape.seconds(60);
  private static final long LONGEST_FREEZE_NANOS = Shape.seconds(45);
  private static final long LONGEST_PAUSE_NANOS = Shape.seconds(20);
  private static final long LONGEST_JUMP_NANOS = Shape.seconds(60);
  private static final long LONGEST_PATIENCE_NANOS = Shape.seconds(2);
  private static final long LAST_FAULT_NANOS = Shape.seconds(20);
  private static final long MENDED_AFTER_NANOS = Shape.seconds(90);
  private static final long WALL_CLOCK_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final Cluster cluster;
  private final World world;
  private final SimQuorum quorum;
  private final Shape shape;
  private final int stops;
  private final Dice dice;
  private final EventQueue events;
  private boolean mended;

  /**
   * @param leastStops of servers in order, unless the simulation is calm
   */
  FaultPlan(Cluster cluster, Shape shape, int leastStops, Dice dice) {
    this.cluster = cluster;
    this.world = cluster.world();
    this.quorum = cluster.quorum();
    this.shape = shape;
    this.stops = shape.calm() ? 0 : Math.max(shape.stops(), leastStops);
    this.dice = dice;
    this.events = world.events();
  }

  /** Starts every process, and schedules what will befall them. */
  void start() {
    quorum.start();
    for (SimServer server : cluster.servers()) {
      start(server);
    }
    for (int i = 0; i < shape.crashes(); i++) {
      SimServer victim = dice.pick(cluster.servers());
      at("a server crashes", victim::crash);
    }
    for (int i = 0; i < stops; i++) {
      SimServer victim = dice.pick(cluster.servers());
      at("a server is stopped", () -> stop(victim));
    }
    if (!shape.calm()) {
      befallServers();
      befallCoordinators();
      befallClients();
      befallClocks();
    }
    events.after(MENDED_AFTER_NANOS, this, "everything is mended", this::mend);
  }

  private void befallServers() {
    SimServer victim = dice.pick(cluster.servers());
    sometimes("a cable is pulled", LONGEST_OUTAGE_NANOS, nanos -> victim.isolate());
    SimServer cut = dice.pick(cluster.servers());
    sometimes("a control stream is cut", LONGEST_OUTAGE_NANOS, cut::cutControl);
    SimServer frozen = dice.pick(cluster.servers());
    sometimes("a server is frozen", LONGEST_FREEZE_NANOS, frozen::freeze);
  }

  private void befallCoordinators() {
    sometimes("the leader crashes", LONGEST_OUTAGE_NANOS, this::crashLeader);
    sometimes("the leader is frozen", LONGEST_FREEZE_NANOS, quorum::freezeLeader);
    sometimes("the leader is cut off from ZooKeeper", LONGEST_PAUSE_NANOS, quorum::cutLeader);
    sometimes("ZooKeeper is away", LONGEST_PAUSE_NANOS, quorum::loseZooKeeper);
  }

  private void befallClients() {
    Application application = dice.pick(cluster.applications());
    SimProcess victim = dice.pick(application.processes());
    sometimes("a client is frozen", LONGEST_PAUSE_NANOS, nanos -> world.freeze(victim, nanos));
  }

  private void befallClocks() {
    SimServer server = dice.pick(cluster.servers());
    sometimes("a server's clock jumps", LONGEST_JUMP_NANOS, server::jumpClock);
    Application application = dice.pick(cluster.applications());
    SimProcess client = dice.pick(application.processes());
    sometimes("a client's clock jumps", LONGEST_JUMP_NANOS, nanos -> world.jump(client, nanos));
    sometimes("a coordinator's clock jumps", LONGEST_JUMP_NANOS, this::jumpCoordinator);
    sometimes("a wall clock is set", LONGEST_JUMP_NANOS, nanos -> setWallClock());
  }

  private void jumpCoordinator(long nanos) {
    List<SimProcess> coordinators = quorum.processes();
    if (!coordinators.isEmpty()) {
      world.jump(dice.pick(coordinators), nanos);
    }
  }

  private void setWallClock() {
    List<SimProcess> all = new ArrayList<>(quorum.processes());
    cluster.applications().forEach(application -> all.addAll(application.processes()));
    for (SimServer server : cluster.servers()) {
      if (server.node() != null) {
        all.add(server.node().process());
      }
    }
    world.setWallClock(dice.pick(all), dice.between(-WALL_CLOCK_MILLIS, WALL_CLOCK_MILLIS));
  }

  /** In one of five simulations, for a while that is drawn. */
  private void sometimes(String what, long longestNanos, Fault fault) {
    if (dice.chance(SOME)) {
      long nanos = dice.skewed(10 * FIRST_NANOS, longestNanos);
      at(what, () -> fault.strike(nanos));
    }
  }

  private interface Fault {
    void strike(long nanos);
  }

  private void at(String what, Runnable fault) {
    events.after(
        dice.skewed(FIRST_NANOS, LAST_FAULT_NANOS),
        this,
        what,
        () -> {
          if (!mended) {
            fault.run();
          }
        });
  }

  /** Begins a life, and sees to it that another one follows when it ends. */
  private void start(SimServer server) {
    server.start(
        () ->
            events.after(
                mended ? FIRST_NANOS : dice.skewed(FIRST_NANOS, LONGEST_OUTAGE_NANOS),
                server,
                "restarts",
                () -> start(server)));
  }

  /** In order, as far as its supervisor has the patience. */
  private void stop(SimServer victim) {
    victim.stop();
    if (dice.chance(0.5)) {
      events.after(
          dice.skewed(1, LONGEST_PATIENCE_NANOS),
          victim,
          "is killed, if it still stops",
          victim::crashIfStopping);
    }
  }

  private void crashLeader(long nanos) {
    quorum.crashLeader();
    events.after(nanos, this, "a coordinator restarts", quorum::start);
  }

  /** No faults from here on; everything that is down comes up. */
  void mend() {
    if (mended) {
      return;
    }
    mended = true;
    world.network().heal();
    cluster.servers().forEach(server -> server.disks().forEach(ServerDisk::heal));
    for (SimServer server : cluster.servers()) {
      if (server.node() != null) {
        server.node().process().thaw();
      }
      start(server);
    }
    cluster.applications().forEach(each -> each.processes().forEach(SimProcess::thaw));
    quorum.mend();
  }

  @Override
  public String toString() {
    return "fault plan";
  }
}
