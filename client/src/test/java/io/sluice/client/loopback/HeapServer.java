package io.sluice.client.loopback;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.client.PlacedServer;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.ServerSessionFactory.Accepted;
import io.sluice.transport.Transport;
import io.sluice.transport.grpc.GrpcServer;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A process-like server: a listener, one event loop, and blocks that outlive it if wanted. */
final class HeapServer implements AutoCloseable {
  static final long SEED = 256 * 1024;

  /** Blocks by partition; survives the server that fills it. */
  static final class Store {
    private final ConcurrentMap<Integer, List<byte[]>> partitions = new ConcurrentHashMap<>();

    void add(int partition, byte[] block) {
      List<byte[]> blocks = partitions.computeIfAbsent(partition, key -> new ArrayList<>());
      synchronized (blocks) {
        blocks.add(block);
      }
    }

    List<byte[]> blocks(int partition) {
      List<byte[]> blocks = partitions.getOrDefault(partition, List.of());
      synchronized (blocks) {
        return List.copyOf(blocks);
      }
    }
  }

  private final ServerId id;
  private final long incarnation;
  private final EventLoops loops;
  private final Transport transport;
  private final DataServer server;

  private HeapServer(
      ServerId id, long incarnation, EventLoops loops, Transport transport, DataServer server) {
    this.id = id;
    this.incarnation = incarnation;
    this.loops = loops;
    this.transport = transport;
    this.server = server;
  }

  /**
   * Starts on a port, 0 for any.
   *
   * @param grants whether WANTs are met and credit is refunded, or neither
   */
  static HeapServer start(Transport transport, long number, int port, Store store, boolean grants) {
    long incarnation = 1;
    ServerId id = ServerId.of(1, number);
    EventLoops loops =
        EventLoops.open("heap-server", 1, PooledByteBufAllocator.DEFAULT, Clock.system());
    ServerIdentity identity = new ServerIdentity(id, incarnation);
    ServerSettings settings =
        new ServerSettings(
            () -> identity,
            ServerAuthenticator.none(),
            ConnectionLimits.of(100, 16 << 20),
            ConnectionTimeouts.defaults(),
            true);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    ServerSessionFactory sessions =
        (peer, link) -> new Accepted(new HeapSession(link, store, grants), SEED);
    ConnectionCount count = new ConnectionCount(1_000);
    DataServer server =
        transport == Transport.GRPC
            ? GrpcServer.bind(loops, address, settings, sessions, count)
            : NettyServer.bind(loops, address, settings, sessions, count);
    return new HeapServer(id, incarnation, loops, transport, server);
  }

  PlacedServer placed() {
    // The other port is nobody's.
    return transport == Transport.GRPC
        ? new PlacedServer(id, incarnation, "localhost", 1, port())
        : new PlacedServer(id, incarnation, "localhost", port());
  }

  int port() {
    return server.address().getPort();
  }

  @Override
  public void close() {
    server.close();
    loops.close();
  }
}
