package io.sluice.client.fake;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.ClientConfig;
import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.SluiceClient;
import io.sluice.client.connection.Connector;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientSession;
import java.util.ArrayList;
import java.util.List;

/** Servers, and a client that talks to them, in one thread. */
public final class FakeCluster implements Connector {
  public final FakeLoop loop = new FakeLoop();
  public final Faults faults;
  public final List<FakeServer> servers = new ArrayList<>();
  public final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  public final ShuffleKey shuffle = new ShuffleKey(ApplicationId.of(7, 7), 3, 0);

  public FakeCluster(int serverCount, long seed) {
    faults = new Faults(seed);
    for (int i = 0; i < serverCount; i++) {
      servers.add(new FakeServer(ServerId.of(99, i)));
    }
    servers.forEach(server -> server.peers = servers);
  }

  public SluiceClient client(ClientConfig config) {
    return client(config, Placements.fixed());
  }

  public SluiceClient client(ClientConfig config, Placements placements) {
    return new SluiceClient(config, this, placements, allocator, loop::newSignal, loop.clock());
  }

  /** Partitions dealt to the servers in turn. */
  public FixedPlacement placement(int partitions) {
    int[] assignment = new int[partitions];
    for (int p = 0; p < partitions; p++) {
      assignment[p] = p % servers.size();
    }
    return FixedPlacement.of(
        shuffle, partitions, servers.stream().map(FakeServer::placed).toList(), 1, assignment);
  }

  /** The same with replicas, the first of which takes turns. */
  public FixedPlacement replicated(int partitions, int replicas) {
    int[] assignment = new int[partitions * replicas];
    for (int p = 0; p < partitions; p++) {
      for (int replica = 0; replica < replicas; replica++) {
        assignment[p * replicas + replica] = (p + replica) % servers.size();
      }
    }
    return FixedPlacement.of(
        shuffle,
        partitions,
        servers.stream().map(FakeServer::placed).toList(),
        replicas,
        assignment);
  }

  /** A driver that makes epochs for a placement. */
  public FakeDriver driver(FixedPlacement placement) {
    return new FakeDriver(this, placement);
  }

  public FakeServer serverOf(int partition) {
    return servers.get(partition % servers.size());
  }

  /** Direct memory that is in use. */
  public long activeBytes() {
    return allocator.metric().usedDirectMemory();
  }

  @Override
  public Scheduler loop() {
    return loop;
  }

  @Override
  public void connect(Scheduler on, PlacedServer server, ClientSession session) {
    FakeServer target = at(server);
    target.connects++;
    loop.schedule(
        faults.delay(),
        () -> {
          if (target.at != null && !server.host().equals(target.at)) {
            session.closed(new SluiceException(ErrorCode.CONNECT_FAILED, "nobody is there"));
          } else if (!target.up || faults.happens(faults.refuseConnection)) {
            session.closed(new SluiceException(target.refusal, "connection refused by the test"));
          } else {
            boolean stranger = server.host().equals(target.strangerAt);
            new FakeConnection(loop, faults, target, session)
                .open(stranger ? ServerId.of(1, 1) : target.id);
          }
        });
  }

  /** Who is at an address; the one that is meant if nobody has taken it over. */
  private FakeServer at(PlacedServer address) {
    return servers.stream()
        .filter(server -> address.host().equals(server.at))
        .findFirst()
        .orElseGet(() -> server(address.id()));
  }

  FakeServer server(ServerId id) {
    return servers.stream().filter(server -> server.id.equals(id)).findFirst().orElseThrow();
  }

  @Override
  public void close() {
    loop.end();
  }
}
