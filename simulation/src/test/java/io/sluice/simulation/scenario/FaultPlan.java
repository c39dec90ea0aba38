package io.sluice.simulation.scenario;

import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;

/**
 * What goes wrong with whole processes, and when everything is mended. Network and disks roll their
 * own dice.
 */
final class FaultPlan {
  private static final long FIRST_NANOS = 1_000_000;
  private static final long LONGEST_OUTAGE_NANOS = Shape.seconds(60);
  private static final long LONGEST_PATIENCE_NANOS = Shape.seconds(2);
  private static final long LAST_FAULT_NANOS = Shape.seconds(20);
  private static final long MENDED_AFTER_NANOS = Shape.seconds(90);

  private final Cluster cluster;
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
    this.shape = shape;
    this.stops = shape.calm() ? 0 : Math.max(shape.stops(), leastStops);
    this.dice = dice;
    this.events = cluster.world().events();
  }

  /** Starts every process, and schedules what will befall them. */
  void start() {
    cluster.coordinator().start();
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
    if (!shape.calm() && dice.chance(0.2)) {
      at("the coordinator crashes", this::crashCoordinator);
    }
    if (!shape.calm() && dice.chance(0.2)) {
      SimServer victim = dice.pick(cluster.servers());
      at("a cable is pulled", victim::isolate);
    }
    if (!shape.calm() && dice.chance(0.2)) {
      SimServer victim = dice.pick(cluster.servers());
      long nanos = dice.between(Shape.seconds(1), LONGEST_OUTAGE_NANOS);
      at("a control stream is cut", () -> victim.cutControl(nanos));
    }
    events.after(MENDED_AFTER_NANOS, this, "everything is mended", this::mend);
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

  private void crashCoordinator() {
    cluster.coordinator().crash();
    events.after(
        dice.skewed(FIRST_NANOS, LONGEST_OUTAGE_NANOS),
        this,
        "another coordinator leads",
        cluster.coordinator()::start);
  }

  /** No faults from here on; everything that is down comes up. */
  void mend() {
    if (mended) {
      return;
    }
    mended = true;
    cluster.world().network().heal();
    cluster.servers().forEach(server -> server.disks().forEach(ServerDisk::heal));
    cluster.servers().forEach(this::start);
    cluster.coordinator().start();
  }

  @Override
  public String toString() {
    return "fault plan";
  }
}
