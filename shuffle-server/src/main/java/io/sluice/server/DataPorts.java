package io.sluice.server;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.time.Clock;
import io.sluice.server.config.GrpcConfig;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.replication.AckRule;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.grpc.GrpcServer;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ServerSettings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * Where clients are served: plain sockets, and gRPC if configured, by the same event loops and
 * under one limit of connections. Thread-safe.
 */
final class DataPorts {
  private static final int PAGE_BYTES = 8192;
  // Chunks of 1 MiB: the pool holds headers of frames, the receive buffers, and gRPC's messages.
  private static final int POOL_ORDER = 7;

  private final DataServer sockets;
  private final Optional<DataServer> grpc;

  private DataPorts(DataServer sockets, Optional<DataServer> grpc) {
    this.sockets = sockets;
    this.grpc = grpc;
  }

  /** Starts the event loops that serve clients and reach other servers. */
  static EventLoops eventLoops(ServerConfig config, StopList started) {
    int loops = config.listen().eventLoops();
    PooledByteBufAllocator buffers =
        new PooledByteBufAllocator(true, 0, loops, PAGE_BYTES, POOL_ORDER, 0, 0, false);
    return started.add(
        "event loops", EventLoops.open("sluice-data", loops, buffers, Clock.system()));
  }

  /**
   * Starts to listen.
   *
   * @param admissions whom to let in
   * @param started what was started goes there
   * @throws CannotListenException if a port cannot be had
   */
  static DataPorts open(
      ServerConfig config,
      EventLoops events,
      ServerCore core,
      ServerIdentities identities,
      Admissions admissions,
      StopList started) {
    ServerConfig.Limits limits = config.limits();
    ServerSettings settings =
        new ServerSettings(
            () -> identity(identities, config.replicationAck()),
            admissions.authenticator(),
            ConnectionLimits.of(limits.maxConnections(), limits.maxBlockBytes()),
            ConnectionTimeouts.defaults(),
            limits.verifyCrc(),
            admissions.tls());
    ConnectionCount count = new ConnectionCount(limits.maxConnections());
    DataServer sockets;
    try {
      InetSocketAddress address = address(config, config.listen().port());
      sockets = NettyServer.bind(events, address, settings, core, count);
    } catch (CannotListenException e) {
      throw e.chosenBy("server.port");
    }
    started.add("data port", sockets);
    Optional<DataServer> grpc = Optional.empty();
    if (config.grpc().port().isPresent()) {
      try {
        InetSocketAddress address = address(config, config.grpc().port().get());
        grpc = Optional.of(GrpcServer.bind(events, address, settings, core, count));
      } catch (CannotListenException e) {
        throw e.chosenBy(GrpcConfig.PORT.name());
      }
      started.add("gRPC data port", grpc.get());
    }
    return new DataPorts(sockets, grpc);
  }

  /** As clients are told: what an acknowledgement is worth depends on the rule. */
  private static ServerIdentity identity(ServerIdentities identities, AckRule rule) {
    ServerIdentity current = identities.current();
    return rule == AckRule.MAJORITY ? current.withMajorityEnough() : current;
  }

  private static InetSocketAddress address(ServerConfig config, int port) {
    return new InetSocketAddress(config.listen().bindAddress(), port);
  }

  /** The port that was bound for plain sockets. */
  int port() {
    return sockets.address().getPort();
  }

  /** The port that was bound for gRPC, if any. */
  OptionalInt grpcPort() {
    return grpc.map(server -> OptionalInt.of(server.address().getPort()))
        .orElseGet(OptionalInt::empty);
  }

  private List<DataServer> all() {
    List<DataServer> all = new ArrayList<>(List.of(sockets));
    grpc.ifPresent(all::add);
    return all;
  }

  /** As {@link DataServer#goAway}, of all. */
  CompletableFuture<Void> goAway() {
    return CompletableFuture.allOf(
        all().stream().map(DataServer::goAway).toArray(CompletableFuture<?>[]::new));
  }

  /** As {@link DataServer#close}, one after the other. */
  void close() {
    all().forEach(DataServer::close);
  }
}
