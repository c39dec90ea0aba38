package io.sluice.coordinator.grpc;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.common.tls.TlsContexts;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.rest.RestApi;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The listening gRPC server. Owns its event loops. */
public final class ControlServer implements AutoCloseable {
  /**
   * Two for handshakes after a change of leader; of 5,000 servers' reports one has a fifth of a
   * core to do. One alone is woken less often, and on two cores the control thread has the other.
   */
  private static final int EVENT_LOOPS_MAX = 2;

  /** A hello naming 100,000 applications is 2 MB. */
  private static final int MAX_MESSAGE_BYTES = 4 << 20;

  /**
   * What a connection may send ahead: some heartbeats' worth, or an eighth of a large hello. A
   * fixed one: to find out how large it might be, gRPC would ping those who send.
   */
  private static final int WINDOW_BYTES = 256 << 10;

  private static final int MAX_CALLS_PER_CONNECTION = 256;

  /** Servers and drivers that say nothing are noticed sooner, by what they do not say. */
  private static final long KEEPALIVE_SECONDS = 120;

  /**
   * Until a connection has shown a certificate and spoken HTTP/2: who only connects has a place for
   * no longer. After a change of leader 15,000 come at once, at 1 ms of a core each with TLS.
   */
  private static final long HANDSHAKE_SECONDS = 10;

  /**
   * Without a call under way. Servers and drivers have a stream each, and heartbeats come more
   * often; a command that is used again finds another connection.
   */
  private static final long IDLE_SECONDS = 60;

  private static final long KEEPALIVE_PERMITTED_SECONDS = 5;
  private static final long STOP_SECONDS = 2;

  private final Server server;
  private final EventLoopGroup loops;
  private final LateServices services;
  private final CallGuard guard;
  private final CallCounter calls;

  private ControlServer(
      Server server,
      EventLoopGroup loops,
      LateServices services,
      CallGuard guard,
      CallCounter calls) {
    this.server = server;
    this.loops = loops;
    this.services = services;
    this.guard = guard;
    this.calls = calls;
  }

  /**
   * Takes the port; nobody is served before {@link #serve}.
   *
   * @param control the control thread, on which every handler runs
   * @param security whom to believe
   * @param connectionsOfOne how many connections one address may have; without it half of all
   * @throws CannotListenException if the address cannot be bound
   */
  public static ControlServer hold(
      InetSocketAddress address,
      Scheduler control,
      SecurityConfig security,
      PrometheusRegistry metrics,
      Optional<Integer> connectionsOfOne) {
    LateServices services =
        new LateServices(
            ConnectionLimit.ofFiles(connectionsOfOne),
            new TurnedAway(metrics, control.clock()),
            security.tls());
    CallGuard guard = new CallGuard(security.clusterKey().orElse(null), metrics);
    CallCounter calls = new CallCounter(metrics);
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(eventLoops(), NioIoHandler.newFactory());
    NettyServerBuilder builder = NettyServerBuilder.forAddress(address);
    security.tls().ifPresent(tls -> builder.sslContext(TlsContexts.grpcServer(tls)));
    Server server =
        builder
            .channelFactory(services::listener)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            // Finds a call's method; then the call has one of the others.
            .executor(Runnable::run)
            .callExecutor(new ControlExecutors(control, new GatheringExecutor(control)))
            .flowControlWindow(WINDOW_BYTES)
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
            .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveTime(KEEPALIVE_PERMITTED_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .maxConnectionIdle(IDLE_SECONDS, TimeUnit.SECONDS)
            // Refusals are counted too: the interceptor added last is the outermost.
            .intercept(services.letsIn())
            .intercept(new CallerAddress())
            .intercept(guard)
            .intercept(calls)
            .fallbackHandlerRegistry(services)
            .build();
    try {
      server.start();
    } catch (IOException e) {
      stop(loops);
      throw CannotListenException.of(address, e).chosenBy("coordinator.port");
    }
    return new ControlServer(server, loops, services, guard, calls);
  }

  /**
   * Serves from now on. Once.
   *
   * @param clock of the control thread
   * @param rest what operators ask through this server
   * @param security the same as before
   */
  public void serve(Leadership leadership, Clock clock, RestApi rest, SecurityConfig security) {
    List<ServerServiceDefinition> offered =
        List.of(
            new ApplicationEndpoint(leadership, guard, security, clock).bindService(),
            new ServerEndpoint(leadership, guard).bindService(),
            new ClusterEndpoint(leadership, rest, guard.isOn()).bindService());
    calls.expect(offered);
    services.offer(offered.stream().map(ReadableRequests::of).toList());
  }

  private static int eventLoops() {
    int half = Runtime.getRuntime().availableProcessors() / 2;
    return Math.min(Math.max(half, 1), EVENT_LOOPS_MAX);
  }

  public int port() {
    return server.getPort();
  }

  /** Stops listening, gives calls under way a moment, then closes every connection. */
  @Override
  public void close() {
    server.shutdown();
    try {
      if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
        server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    stop(loops);
  }

  private static void stop(EventLoopGroup loops) {
    loops
        .shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
  }
}
