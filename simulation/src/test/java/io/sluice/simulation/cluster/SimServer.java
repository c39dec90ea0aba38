package io.sluice.simulation.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.time.Dice;
import io.sluice.transport.ServerIdentity;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A shuffle server over its lives: the machine, its disks, and the process if there is one. */
public final class SimServer {
  private static final int PORT = 7000;

  private final World world;
  private final SimQuorum quorum;
  private final String name;
  private final ServerShape shape;
  private final List<ServerDisk> disks;
  private final ServerHooks hooks;
  private final Dice dice;
  private @Nullable ServerNode node;
  private @Nullable ServerAgent agent;
  private int lives;
  private int losses;
  private int intactStarts;
  private final Set<ApplicationId> dropped = new HashSet<>();
  private boolean sealsFirst;
  private int controlCuts;
  private int pauses;

  /**
   * @param disks at least one; holds the identity even if no data goes there
   */
  public SimServer(
      World world,
      SimQuorum quorum,
      String name,
      ServerShape shape,
      List<ServerDisk> disks,
      ServerHooks hooks) {
    this.world = world;
    this.quorum = quorum;
    this.name = name;
    this.shape = shape;
    this.disks = disks;
    this.hooks = hooks;
    this.dice = world.forkDice();
  }

  /**
   * Begins a life; harmless while there is one.
   *
   * @param onDeath called at its end
   */
  public void start(Runnable onDeath) {
    if (node != null) {
      return;
    }
    lives++;
    ServerNode started = new ServerNode(world, name, shape, disks, hooks, dice);
    node = started;
    if (started.who().intactSince() == started.who().incarnation()) {
      losses++;
    } else {
      intactStarts++;
    }
    world.note(started, "started");
    started.process().onDeath(onDeath);
    started.process().onDeath(() -> node = null);
    started.process().onDeath(() -> agent = null);
    world.network().listen(name + ":" + PORT, started.listener(hooks.sessions()));
    ServerAgent reporting =
        new ServerAgent(world, quorum, started, address(started), dropped::add, dice);
    agent = reporting;
    reporting.connect();
  }

  /** kill -9; harmless if there is no process. */
  public void crash() {
    ServerNode current = node;
    if (current != null) {
      current.process().kill();
    }
  }

  /** SIGTERM: an orderly stop, and the end of the process; harmless if there is none. */
  public void stop() {
    ServerNode current = node;
    ServerAgent reporting = agent;
    if (current == null || reporting == null) {
      return;
    }
    world.note(current, "stops");
    reporting.says(Intent.STOP);
    if (sealsFirst) {
      current.seal();
      current.control().execute(current.process()::kill);
      return;
    }
    current.stop(
        whole -> {
          world.note(current, whole ? "sealed" : "not sealed");
          if (!whole) {
            reporting.says(Intent.STOP_WITH_LOSS);
          }
          current.process().kill();
        });
  }

  /** kill -9 of a process that is about to stop; harmless if there is none. */
  public void crashIfStopping() {
    ServerNode current = node;
    if (current != null && current.isStopping()) {
      current.process().kill();
    }
  }

  /** Has every stop from here on seal the disks before memory is written, and not wait for that. */
  public void sealFirst() {
    sealsFirst = true;
  }

  /** SIGSTOP, and SIGCONT after a while; harmless if there is no process. */
  public void freeze(long nanos) {
    ServerNode current = node;
    if (current != null) {
      pauses++;
      world.freeze(current.process(), nanos);
    }
  }

  /** The clocks of the process jump; harmless if there is none. */
  public void jumpClock(long nanos) {
    ServerNode current = node;
    if (current != null) {
      pauses++;
      world.jump(current.process(), nanos);
    }
  }

  /** Pulls the cable of the data plane for all connections that are open now. */
  public void isolate() {
    ServerNode current = node;
    if (current != null) {
      world.network().isolate(current.host());
    }
  }

  /** Cuts the control stream for a while, and nothing else. */
  public void cutControl(long nanos) {
    ServerAgent current = agent;
    if (current != null) {
      controlCuts++;
      world.note(this, "loses the coordinator for " + nanos + " ns");
      current.cut(nanos);
    }
  }

  /** Whether this life of the server is known to a coordinator, or was once. */
  public boolean isKnown() {
    ServerAgent current = agent;
    return current != null && current.welcomed();
  }

  /** How often the control stream was cut. */
  public int controlCuts() {
    return controlCuts;
  }

  /** What the server calls itself now; 0 while it is down. */
  public long incarnation() {
    ServerNode current = node;
    return current == null ? 0 : current.identity().incarnation();
  }

  /**
   * Whether it says that all is there that one of its lives has acknowledged. Nothing is known of
   * it while it is down.
   */
  public boolean keeps(long earlier) {
    ServerNode current = node;
    return current != null && current.who().keeps(earlier);
  }

  /** Whether it was ever told to drop what it holds of an application. */
  public boolean hasDropped(ApplicationId application) {
    return dropped.contains(application);
  }

  private ServerAddress address(ServerNode started) {
    ServerIdentity who = started.who();
    return new ServerAddress(who.id(), who.incarnation(), who.intactSince(), name, PORT, 0);
  }

  /** The process that runs now, or null. */
  public @Nullable ServerNode node() {
    return node;
  }

  public List<ServerDisk> disks() {
    return disks;
  }

  /** How often it was started without everything that it had before, the first time included. */
  public int losses() {
    return losses;
  }

  /** How often it was started with everything that it had before. */
  public int intactStarts() {
    return intactStarts;
  }

  /** Whether nobody can reach it now: there is no process, or it does not run. */
  public boolean isAway() {
    ServerNode current = node;
    return current == null || current.process().isFrozen();
  }

  /** How often its process was stopped for a while, or found that time had passed at once. */
  public int pauses() {
    return pauses;
  }

  /** How often it has been started. */
  public int lives() {
    return lives;
  }

  @Override
  public String toString() {
    return name;
  }
}
