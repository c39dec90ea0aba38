package io.sluice.simulation.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.cluster.ServerSession;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DiskLoad;
import io.sluice.coordinator.membership.ServerChannel;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerLoad;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerReport.Use;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.server.control.Unheard;
import io.sluice.server.control.UsageNews;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.segment.SegmentStore.DiskUsage;
import io.sluice.server.user.KnownUsers;
import io.sluice.simulation.time.Dice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server's side of its session with the coordinator: says hello, reports, does what it is told,
 * and comes back when the session ends.
 */
final class ServerAgent {
  private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A coordinator that says nothing for so long counts as gone. */
  private static final long WELCOME_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final World world;
  private final SimQuorum quorum;
  private final ServerNode node;
  private final Consumer<ApplicationId> onDrop;
  private final Dice dice;
  private final UsageNews usage = new UsageNews();
  private final Unheard unheard;
  private ServerAddress address;
  private @Nullable Session session;
  private Intent intent = Intent.SERVE;
  private boolean cut;
  private boolean welcomed;

  /**
   * @param onDrop told which applications it was told to drop
   */
  ServerAgent(
      World world,
      SimQuorum quorum,
      ServerNode node,
      ServerAddress address,
      Consumer<ApplicationId> onDrop,
      Dice dice) {
    this.world = world;
    this.quorum = quorum;
    this.node = node;
    this.address = address;
    this.onDrop = onDrop;
    this.dice = dice;
    this.unheard = new Unheard(node.control(), node.core()::unheard);
    node.process().onDeath(this::died);
  }

  /** Whether a coordinator has ever known this process. */
  boolean welcomed() {
    return welcomed;
  }

  /** Begins a session with whoever leads now, or tries again later. */
  void connect() {
    unheard.begin();
    CoordinatorNode leader = quorum.leader();
    if (leader == null || cut) {
      retry();
      return;
    }
    Session opened = new Session(leader);
    session = opened;
    leader.process().onDeath(() -> later(opened::lost));
    leader.onSilence(opened::silent);
    node.control().schedule(WELCOME_NANOS, opened::unlessWelcome);
    ServerHello hello =
        new ServerHello(
            address, "sim", List.copyOf(node.core().shuffles().applications()), "", true);
    usage.begin();
    ServerReport report = report();
    opened.toLeader.send(() -> opened.accept(hello, report));
  }

  private ServerReport report() {
    return new ServerReport(load(), intent, uses());
  }

  private List<Use> uses() {
    return usage.next(UsageNews.uses(node.core().shuffles().all(), node.core().quotas())).stream()
        .map(
            use ->
                new Use(
                    ApplicationId.of(use.getApplication().getHigh(), use.getApplication().getLow()),
                    use.getBytes(),
                    use.getPartitions()))
        .toList();
  }

  /** Tells the leader, if there is a way to it. */
  void says(Intent next) {
    intent = next;
    Session current = session;
    if (current != null) {
      ServerReport report = report();
      current.toLeader.send(() -> current.report(report));
    }
  }

  private void retry() {
    node.control().schedule(dice.between(1, LONGEST_RETRY_NANOS), this::connect);
  }

  /**
   * Nothing passes between server and coordinator for a while, and neither is told before keepalive
   * notices; the data plane knows nothing of it.
   */
  void cut(long nanos) {
    Session silent = session;
    if (silent != null) {
      silent.end();
    }
    cut = true;
    node.control().schedule(nanos, () -> cut = false);
    if (silent != null) {
      node.control().schedule(Math.min(nanos, SimQuorum.KEEPALIVE_NANOS), silent::lost);
    }
  }

  private void later(Runnable step) {
    world
        .events()
        .after(quorum.delay(), node.control(), "loses its session", () -> node.process().run(step));
  }

  private void died() {
    unheard.close();
    Session current = session;
    if (current != null) {
      current.end();
      current.toLeaderAfterEnd();
    }
  }

  private ServerLoad load() {
    ChunkArena arena = node.core().arena();
    List<DiskLoad> disks =
        node.stores().stream()
            .map(
                store -> {
                  DiskUsage usage = store.usage();
                  // Nobody probes these disks: writes are tried all the same when one has failed.
                  return new DiskLoad(store.name(), usage.capacity(), usage.free(), true);
                })
            .toList();
    return new ServerLoad(
        new ServerLoad.Memory(arena.capacity(), arena.capacity() - arena.free()),
        disks,
        new ServerLoad.Traffic(node.core().stats().connections(), 0, 0, 0, 0));
  }

  private void obey(Session from, Directive directive) {
    if (from != session) {
      return;
    }
    world.note(node, directive.toString());
    if (directive instanceof Directive.Welcome welcome) {
      welcomed = true;
      from.welcome = true;
      long interval = TimeUnit.MILLISECONDS.toNanos(welcome.heartbeatIntervalMillis());
      unheard.end(interval);
      report(from, interval);
    } else if (directive instanceof Directive.RemoveShuffle removal) {
      node.core().shuffles().remove(removal.shuffle());
    } else if (directive instanceof Directive.RemoveApplication removal) {
      onDrop.accept(removal.application());
      node.core().shuffles().remove(removal.application());
    } else if (directive instanceof Directive.Returned returned) {
      returned.applications().forEach(node.core().shuffles()::admit);
    } else if (directive instanceof Directive.Users users) {
      node.core().quotas().learn(known(users));
    } else if (directive instanceof Directive.Fence fence) {
      node.identity().riseAbove(fence.incarnation(), disk -> true);
      address =
          new ServerAddress(
              address.id(), node.identity().incarnation(), address.host(), address.port());
      node.core().endStaleConnections();
    }
  }

  private static KnownUsers known(Directive.Users part) {
    Map<ApplicationId, String> users = new HashMap<>();
    part.applications().forEach((user, ids) -> ids.forEach(id -> users.put(id, user)));
    return new KnownUsers(part.first(), part.last(), users);
  }

  private void report(Session current, long intervalNanos) {
    node.control()
        .schedule(
            intervalNanos,
            () -> {
              if (current == session) {
                ServerReport report = report();
                current.toLeader.send(() -> current.report(report));
                report(current, intervalNanos);
              }
            });
  }

  /** One session, seen from both ends. */
  private final class Session implements ServerChannel {
    private final CoordinatorNode leader;
    private final ControlStream toLeader;
    private final ControlStream toServer;
    private @Nullable ServerSession admitted;
    private boolean ended;
    private boolean welcome;

    Session(CoordinatorNode leader) {
      this.leader = leader;
      this.toLeader = new ControlStream(leader.control(), dice, quorum.maxDelayNanos());
      this.toServer = new ControlStream(node.control(), dice, quorum.maxDelayNanos());
    }

    // The coordinator's end.

    void accept(ServerHello hello, ServerReport report) {
      try {
        admitted = leader.cluster().openSession(hello, report, this);
      } catch (SluiceException deposed) {
        end(deposed);
      }
    }

    void report(ServerReport report) {
      if (admitted != null && !ended) {
        admitted.report(report);
      }
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void send(Directive directive) {
      if (!ended) {
        toServer.send(() -> obey(this, directive));
      }
    }

    @Override
    public void end(SluiceException reason) {
      if (!ended) {
        ended = true;
        toServer.send(this::lost);
      }
    }

    // The server's end.

    void lost() {
      if (session == this) {
        session = null;
        unheard.begin();
        end();
        retry();
      }
    }

    /** The leader's process does not answer any more: the stream is broken. */
    void silent() {
      node.process().run(this::lost);
    }

    void unlessWelcome() {
      if (!welcome) {
        lost();
      }
    }

    private void end() {
      toLeader.end();
      toServer.end();
    }

    /** The server's process is gone: the coordinator's end learns of the broken stream. */
    void toLeaderAfterEnd() {
      world
          .events()
          .after(
              quorum.delay(),
              leader.control(),
              "loses a session",
              () ->
                  leader
                      .process()
                      .run(
                          () -> {
                            ended = true;
                            if (admitted != null) {
                              admitted.disconnected();
                            }
                          }));
    }
  }
}
