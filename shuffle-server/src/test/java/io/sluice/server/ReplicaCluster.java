package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.AckRule;
import io.sluice.server.replication.PeerConnector;
import io.sluice.server.replication.ReplicationLimits;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ClientSession;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.Principal;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Cores that reach each other, in one {@link World}. */
final class ReplicaCluster {
  private static final long MIB = 1 << 20;
  private static final long RESERVE = MIB;

  final World world;
  final List<Node> nodes = new ArrayList<>();

  /**
   * @param arena of each, its reserve included
   * @param disks of each
   */
  ReplicaCluster(int cores, long arena, int disks, AckRule rule) {
    this.world = new World(cores * 31L + disks);
    for (int i = 0; i < cores; i++) {
      nodes.add(new Node(i, arena, disks, rule));
    }
  }

  /** Everything but the first, as members of its sets. */
  List<ReplicaMember> othersOf(Node primary) {
    return nodes.stream().filter(node -> node != primary).map(Node::member).toList();
  }

  /** One server. */
  final class Node implements PeerConnector {
    final ServerIdentity identity;
    final ServerCore core;
    final List<MemoryStore> stores = new ArrayList<>();
    final List<PeerPipe> outgoing = new ArrayList<>();
    int dials;
    boolean up = true;

    Node(int number, long arena, int disks, AckRule rule) {
      identity = new ServerIdentity(ServerId.of(77, number + 1), 5);
      for (int i = 0; i < disks; i++) {
        stores.add(new MemoryStore("d" + i, CoreFixture.UNIT, world.executor()));
      }
      CreditLimits credit =
          new CreditLimits(
              CoreFixture.SEED,
              4,
              CoreFixture.MAX_BLOCK,
              2 * MIB,
              CoreFixture.WANT_TIMEOUT,
              CoreFixture.IDLE);
      CoreSettings settings =
          new CoreSettings(
              new CoreSettings.Memory(arena, 16 * MIB),
              CoreFixture.UNIT,
              new CoreSettings.Reads(16 * 1024, 4),
              credit,
              new FlushLimits(
                  arena / 2, arena * 3 / 8, arena * 3 / 4, CoreFixture.UNIT * 7 / 8, 1_000_000_000),
              QuotaLimits.NONE,
              new ReplicationLimits(RESERVE, rule));
      core =
          new ServerCore(
              settings,
              new CoreSeams(
                  world,
                  world.executor(),
                  () -> identity,
                  List.<SegmentStore>copyOf(stores),
                  this));
    }

    /** The connection to another one that was made last. */
    PeerPipe outgoingTo(Node other) {
      return outgoing.stream()
          .filter(pipe -> pipe.to() == other)
          .reduce((earlier, later) -> later)
          .orElseThrow();
    }

    ReplicaMember member() {
      return new ReplicaMember(
          identity.id(), identity.incarnation(), "node", (int) identity.id().low());
    }

    TestPeer client() {
      return new TestPeer(core, world.executor());
    }

    @Override
    public Scheduler loop() {
      return world;
    }

    @Override
    public void connect(Scheduler loop, ReplicaMember member, ClientSession session) {
      dials++;
      Node to =
          nodes.stream()
              .filter(node -> node.identity.id().equals(member.id()))
              .findFirst()
              .orElseThrow();
      loop.execute(
          () -> {
            if (!to.up) {
              session.closed(new SluiceException(ErrorCode.CONNECT_FAILED, "down"));
              return;
            }
            PeerInfo info =
                new PeerInfo(new UUID(5, 5), 3, "node", Principal.anyone(), identity.id());
            outgoing.add(new PeerPipe(world, world, info, to, session));
          });
    }
  }
}
