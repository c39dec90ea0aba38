package io.sluice.transport.grpc;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ServerSocketChannel;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.tls.TlsContexts;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ServerConnections;
import io.sluice.transport.session.ServerSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The protocol over gRPC, by the event loops that also serve plain sockets. */
public final class GrpcServer implements DataServer {
  /**
   * Bytes of direct memory that a connection may take beside what the server accounts for: a
   * message that arrives, in two buffers as it was read; one that leaves; and what has left and not
   * been taken.
   */
  public static final long BYTES_PER_CONNECTION = 4L * 64 * 1024;

  /** Calls on one HTTP/2 connection: clients make one each, proxies gather them. */
  private static final int CALLS_PER_TRANSPORT = 128;

  private static final int RESETS_PER_WINDOW = 200;
  private static final int RESET_WINDOW_SECONDS = 30;

  private final Server server;
  private final ServerConnections connections;
  private final ServerSettings settings;

  private GrpcServer(Server server, ServerConnections connections, ServerSettings settings) {
    this.server = server;
    this.connections = connections;
    this.settings = settings;
  }

  /**
   * Starts to listen; port 0 takes a free one. Blocks until bound.
   *
   * @param count other listeners count towards the same limit of connections
   * @throws CannotListenException if the address cannot be had
   */
  public static GrpcServer bind(
      EventLoops loops,
      InetSocketAddress address,
      ServerSettings settings,
      ServerSessionFactory sessions,
      ConnectionCount count) {
    ServerConnections connections = new ServerConnections(count);
    long handshake = settings.timeouts().handshakeNanos();
    Transports transports = new Transports(connections, 2 * count.most(), settings);
    NettyServerBuilder builder = NettyServerBuilder.forAddress(address);
    settings.tls().ifPresent(tls -> builder.sslContext(TlsContexts.grpcServer(tls)));
    Server server =
        builder
            .channelFactory(() -> listener(loops, transports))
            .bossEventLoopGroup(loops.group())
            .workerEventLoopGroup(loops.group())
            .directExecutor()
            .addService(
                ServerServiceDefinition.builder(ByteStream.SERVICE)
                    .addMethod(
                        ByteStream.METHOD,
                        new CallAcceptor(
                            new CallAcceptor.Surroundings(loops, transports, connections),
                            settings,
                            sessions))
                    .build())
            .maxInboundMessageSize(ByteStream.MESSAGE_BYTES)
            .maxInboundMetadataSize(ByteStream.METADATA_BYTES)
            .flowControlWindow(ByteStream.WINDOW_BYTES)
            .maxConcurrentCallsPerConnection(CALLS_PER_TRANSPORT)
            .maxRstFramesPerWindow(RESETS_PER_WINDOW, RESET_WINDOW_SECONDS)
            .handshakeTimeout(handshake, TimeUnit.NANOSECONDS)
            // An HTTP/2 connection without a call is one whose handshake is not done.
            .maxConnectionIdle(handshake, TimeUnit.NANOSECONDS)
            .keepAliveTime(settings.timeouts().idleNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTimeout(settings.timeouts().answerNanos(), TimeUnit.NANOSECONDS)
            .permitKeepAliveWithoutCalls(true)
            .permitKeepAliveTime(1, TimeUnit.SECONDS)
            .withOption(ChannelOption.SO_REUSEADDR, true)
            .withOption(ChannelOption.SO_BACKLOG, EventLoops.BACKLOG)
            .withChildOption(ChannelOption.TCP_NODELAY, true)
            .withChildOption(ChannelOption.ALLOCATOR, loops.alloc())
            .build();
    try {
      server.start();
    } catch (IOException e) {
      Throwable why = e.getCause();
      throw EventLoops.cannotListen(address, why == null ? e : why);
    }
    return new GrpcServer(server, connections, settings);
  }

  private static ServerSocketChannel listener(EventLoops loops, Transports transports) {
    ServerSocketChannel channel = loops.newServerChannel();
    channel.pipeline().addLast(transports);
    return channel;
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) server.getListenSockets().get(0);
  }

  @Override
  public int connections() {
    return connections.size();
  }

  @Override
  public CompletableFuture<Void> goAway() {
    server.shutdown();
    return connections.goAway();
  }

  @Override
  public void close() {
    server.shutdown();
    connections.end(settings.timeouts().closeNanos());
    server.shutdownNow();
    try {
      server.awaitTermination(settings.timeouts().closeNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
