package io.sluice.server;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.lifecycle.StopList;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.server.config.GrpcConfig;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.replication.AckRule;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.grpc.GrpcServer;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

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
  private final ConnectionCount places;
  private final AtomicReference<@Nullable Behind> behind;

  /** What serves those who are let in. */
  private record Behind(ServerCore core, ServerIdentities identities, Admissions admissions) {}

  private DataPorts(
      DataServer sockets,
      Optional<DataServer> grpc,
      ConnectionCount places,
      AtomicReference<@Nullable Behind> behind) {
    this.sockets = sockets;
    this.grpc = grpc;
    this.places = places;
    this.behind = behind;
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
   * Takes the ports, and turns away without a word whoever connects: they are this server's before
   * it touches a disk, and nobody is served before it is ready.
   *
   * @param started what was started goes there
   * @throws CannotListenException if a port cannot be had
   */
  static DataPorts hold(
      ServerConfig config, SecurityConfig security, EventLoops events, StopList started) {
    ServerConfig.Limits limits = config.limits();
    AtomicReference<@Nullable Behind> behind = new AtomicReference<>();
    ServerSettings settings =
        new ServerSettings(
            () -> identity(there(behind).identities(), config.replicationAck()),
            security.clusterKey().isEmpty()
                ? ServerAuthenticator.none()
                : (hello, self, binding) ->
                    there(behind).admissions().authenticator().begin(hello, self, binding),
            ConnectionLimits.of(limits.maxConnections(), limits.maxBlockBytes()),
            ConnectionTimeouts.defaults(),
            limits.verifyCrc(),
            security.tls());
    ServerSessionFactory sessions = (peer, link) -> there(behind).core().accept(peer, link);
    ConnectionCount places = ConnectionCount.shut(limits.maxConnections());
    DataServer sockets;
    try {
      InetSocketAddress address = address(config, config.listen().port());
      sockets = NettyServer.bind(events, address, settings, sessions, places);
    } catch (CannotListenException e) {
      throw e.chosenBy("server.port");
    }
    started.add("data port", sockets);
    Optional<DataServer> grpc = Optional.empty();
    if (config.grpc().port().isPresent()) {
      try {
        InetSocketAddress address = address(config, config.grpc().port().get());
        grpc = Optional.of(GrpcServer.bind(events, address, settings, sessions, places));
      } catch (CannotListenException e) {
        throw e.chosenBy(GrpcConfig.PORT.name());
      }
      started.add("gRPC data port", grpc.get());
    }
    return new DataPorts(sockets, grpc, places, behind);
  }

  /** Nobody gets here before {@link #serve}. */
  private static Behind there(AtomicReference<@Nullable Behind> behind) {
    return Objects.requireNonNull(behind.get(), "a connection before the server was ready");
  }

  /**
   * Lets clients in from now on. Once.
   *
   * @param admissions whom to let in
   * @param started where the ports were added: they are closed before all that they serve from
   */
  void serve(
      ServerCore core, ServerIdentities identities, Admissions admissions, StopList started) {
    behind.set(new Behind(core, identities, admissions));
    all().forEach(started::stopFirst);
    places.open();
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

  /** Connections that wait in line, and hold no place. */
  int waiting() {
    return places.inLine();
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
