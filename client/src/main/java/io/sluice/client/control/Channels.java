package io.sluice.client.control;

import io.grpc.ClientInterceptor;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.sluice.client.ClientSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.common.tls.TlsContexts;
import io.sluice.proto.auth.ControlKey;
import io.sluice.transport.netty.LoopThreads;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * One gRPC channel per coordinator, made when first needed, over one event loop. Beside those
 * configured a leader's own word may name others, so the oldest beyond a few is closed.
 */
final class Channels implements AutoCloseable {
  private static final int LIMIT = 16;

  /** A placement of a million entries is 3 MB. */
  private static final int MAX_MESSAGE_BYTES = 8 << 20;

  /**
   * Finds half-open connections under a watch, which would otherwise wait for ever: 15 s after they
   * fell silent, so that a driver hears of a lost server, which takes 30 s, without delay.
   */
  private static final long KEEPALIVE_SECONDS = 10;

  private static final long KEEPALIVE_ANSWER_SECONDS = 5;

  /** Lets channels that were shut down take their leave of the loop. */
  private static final long QUIET_MILLIS = 50;

  private static final long STOP_MILLIS = 2_000;

  private final Map<HostPort, ManagedChannel> channels = new LinkedHashMap<>();
  private final EventLoopGroup loop;
  private final Executor callbacks;
  private final List<ClientInterceptor> identity;
  private final Optional<SslContext> tls;

  /**
   * @param callbacks where gRPC calls back
   * @param security whose calls these are
   */
  Channels(Executor callbacks, ClientSecurity security) {
    this.callbacks = callbacks;
    this.tls = security.tls().map(TlsContexts::grpcClient);
    this.identity =
        security
            .keys()
            .map(own -> List.of(ControlKey.attach(own.controlKey())))
            .orElseGet(List::of);
    this.loop =
        new MultiThreadIoEventLoopGroup(
            1, new LoopThreads("sluice-control-io"), NioIoHandler.newFactory());
  }

  /** On the scheduler's thread. */
  ManagedChannel channel(HostPort coordinator) {
    ManagedChannel channel = channels.computeIfAbsent(coordinator, this::open);
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      // gRPC's own pauses grow to two minutes and fail calls meanwhile; callers here pause shorter.
      channel.resetConnectBackoff();
    }
    if (channels.size() > LIMIT) {
      Iterator<ManagedChannel> oldest = channels.values().iterator();
      ManagedChannel first = oldest.next();
      if (first != channel) {
        oldest.remove();
        first.shutdownNow();
      }
    }
    return channel;
  }

  private ManagedChannel open(HostPort coordinator) {
    // By name, not by resolved address: names are looked up again at every reconnect.
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(coordinator.host(), coordinator.port());
    return tls.map(builder::sslContext)
        .orElseGet(builder::usePlaintext)
        .intercept(identity)
        .channelType(NioSocketChannel.class)
        .eventLoopGroup(loop)
        .executor(callbacks)
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEPALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
        .build();
  }

  /** Cancels every call and ends the event loop; on the scheduler's thread. */
  @Override
  public void close() {
    channels.values().forEach(ManagedChannel::shutdownNow);
    channels.clear();
    // Not awaited: this is the thread that the loop's last callbacks go to.
    Future<?> unused = loop.shutdownGracefully(QUIET_MILLIS, STOP_MILLIS, TimeUnit.MILLISECONDS);
  }
}
