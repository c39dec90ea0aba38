package io.sluice.server.control;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsContexts;
import io.sluice.proto.auth.ControlKey;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerServiceGrpc;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Streams over gRPC: one thread for all, a channel for each, so that names are resolved again every
 * time.
 */
public final class GrpcConnector implements ControlConnector {
  /**
   * A half-open session is noticed 15 s after it fell silent, and the next one is tried well before
   * the coordinator counts the server as lost, at 30 s. gRPC allows no shorter interval.
   */
  private static final long KEEPALIVE_SECONDS = 10;

  private static final long KEEPALIVE_ANSWER_SECONDS = 5;
  private static final long STOP_SECONDS = 2;

  private final EventLoopGroup thread =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("sluice-control-io", true), NioIoHandler.newFactory());
  private final Set<ManagedChannel> channels = new HashSet<>();
  private final List<ClientInterceptor> identity;
  private final Optional<SslContext> tls;
  private boolean closed;

  /**
   * @param key what the server shows that it is a member of the cluster by; empty where security is
   *     off
   * @param tls how coordinators are reached; empty without encryption
   */
  public GrpcConnector(Optional<ClusterKey> key, Optional<Tls> tls) {
    this.tls = tls.map(TlsContexts::grpcClient);
    this.identity = key.map(own -> ControlKey.attach(own.own().controlKey())).stream().toList();
  }

  @Override
  public ControlStream open(HostPort coordinator, Listener listener) {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(coordinator.host(), coordinator.port());
    ManagedChannel channel =
        tls.map(builder::sslContext)
            .orElseGet(builder::usePlaintext)
            .intercept(identity)
            .eventLoopGroup(thread)
            .channelType(NioSocketChannel.class)
            .directExecutor()
            .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(KEEPALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
            .disableRetry()
            .build();
    synchronized (this) {
      if (closed) {
        channel.shutdownNow();
      }
      channels.add(channel);
    }
    Stream stream = new Stream(channel, listener);
    ServerServiceGrpc.newStub(channel).session(stream);
    return stream;
  }

  private synchronized void drop(ManagedChannel channel) {
    if (channels.remove(channel)) {
      channel.shutdownNow();
    }
  }

  /** Ends all streams, then the thread. Waits a moment. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      channels.forEach(ManagedChannel::shutdownNow);
      channels.clear();
    }
    thread
        .shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
  }

  private final class Stream
      implements ControlStream, ClientResponseObserver<ServerReport, ServerDirective> {
    private final ManagedChannel channel;
    private final Listener listener;
    private @Nullable ClientCallStreamObserver<ServerReport> call;
    private boolean finished;
    private boolean cancelled;

    Stream(ManagedChannel channel, Listener listener) {
      this.channel = channel;
      this.listener = listener;
    }

    @Override
    public synchronized void beforeStart(ClientCallStreamObserver<ServerReport> requests) {
      call = requests;
    }

    @Override
    public synchronized boolean isReady() {
      return call != null && !cancelled && call.isReady();
    }

    @Override
    public synchronized void send(ServerReport report) {
      if (call != null && !cancelled && !finished) {
        call.onNext(report);
      }
    }

    @Override
    public synchronized void finish() {
      if (call != null && !cancelled && !finished) {
        finished = true;
        call.onCompleted();
      }
    }

    @Override
    public void cancel() {
      synchronized (this) {
        if (cancelled) {
          return;
        }
        cancelled = true;
        if (call != null) {
          call.cancel("the server turns elsewhere", null);
        }
      }
      drop(channel);
    }

    private synchronized boolean isCancelled() {
      return cancelled;
    }

    @Override
    public void onNext(ServerDirective directive) {
      if (!isCancelled()) {
        listener.directive(directive);
      }
    }

    @Override
    public void onError(Throwable reason) {
      drop(channel);
      if (!isCancelled()) {
        listener.ended(reason);
      }
    }

    @Override
    public void onCompleted() {
      onError(new SluiceException(ErrorCode.CONNECTION_LOST, "the coordinator ended the session"));
    }
  }
}
