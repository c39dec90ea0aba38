package io.sluice.coordinator.grpc;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Scheduler;
import io.sluice.common.tls.TlsContexts;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.rest.RestApi;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** The listening gRPC server. Owns its event loops. */
public final class ControlServer implements AutoCloseable {
  /** Two loops carry 5,000 servers' reports with ease: each is some hundred bytes a second. */
  private static final int EVENT_LOOPS = 2;

  /** A hello naming 100,000 applications is 2 MB. */
  private static final int MAX_MESSAGE_BYTES = 4 << 20;

  private static final int MAX_CALLS_PER_CONNECTION = 256;
  private static final long KEEPALIVE_SECONDS = 30;
  private static final long KEEPALIVE_PERMITTED_SECONDS = 5;
  private static final long STOP_SECONDS = 2;

  private final Server server;
  private final EventLoopGroup loops;

  private ControlServer(Server server, EventLoopGroup loops) {
    this.server = server;
    this.loops = loops;
  }

  /**
   * Binds and serves.
   *
   * @param control the control thread, on which every handler runs
   * @param rest what operators ask through this server
   * @param security whom to believe
   * @throws CannotListenException if the address cannot be bound
   */
  public static ControlServer start(
      InetSocketAddress address,
      Scheduler control,
      Leadership leadership,
      RestApi rest,
      SecurityConfig security,
      PrometheusRegistry metrics) {
    CallGuard guard = new CallGuard(security.clusterKey().orElse(null), metrics);
    CallCounter calls = new CallCounter(metrics);
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(EVENT_LOOPS, NioIoHandler.newFactory());
    NettyServerBuilder builder = NettyServerBuilder.forAddress(address);
    security.tls().ifPresent(tls -> builder.sslContext(TlsContexts.grpcServer(tls)));
    Server server =
        builder
            .channelType(NioServerSocketChannel.class)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .executor(control)
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
            .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveTime(KEEPALIVE_PERMITTED_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            // Refusals are counted too: the interceptor added last is the outermost.
            .intercept(new CallerAddress())
            .intercept(guard)
            .intercept(calls)
            .addService(new ApplicationEndpoint(leadership, guard, security, control.clock()))
            .addService(new ServerEndpoint(leadership, guard))
            .addService(new ClusterEndpoint(leadership, rest, guard.isOn()))
            .build();
    calls.expect(server.getServices());
    try {
      server.start();
    } catch (IOException e) {
      stop(loops);
      throw CannotListenException.of(address, e).chosenBy("coordinator.port");
    }
    return new ControlServer(server, loops);
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
