package io.sluice.transport.grpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import io.sluice.common.tls.TlsContexts;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.Dial;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.tls.ChannelBinding;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The protocol over gRPC. Each connection is a channel of its own with one call, so that it has its
 * own HTTP/2 connection and stays on the event loop it was dialled on.
 */
public final class GrpcConnector extends DataConnector {
  private final EventLoops loops;
  private final ClientSettings settings;
  private final Scratches scratches;
  private final @Nullable SslContext tls;

  /** As {@link DataConnector}. */
  public GrpcConnector(EventLoops loops, ClientSettings settings, Executor nameLookups) {
    super(loops, settings.timeouts().handshakeNanos(), nameLookups);
    this.loops = loops;
    this.settings = settings;
    this.scratches = new Scratches(loops);
    this.tls = settings.tls().map(TlsContexts::grpcClient).orElse(null);
  }

  @Override
  protected void dial(Dial attempt, InetSocketAddress remote) {
    long millis = TimeUnit.NANOSECONDS.toMillis(attempt.nanosLeft());
    // No keepalive of HTTP/2: the protocol asks its peer itself, through whatever is in between.
    NettyChannelBuilder builder = NettyChannelBuilder.forAddress(fitForAuthority(remote));
    ManagedChannel channel =
        (tls == null ? builder.usePlaintext() : builder.sslContext(tls))
            .channelType(loops.socketChannel())
            .eventLoopGroup(attempt.loop())
            .directExecutor()
            .disableRetry()
            .maxInboundMessageSize(ByteStream.MESSAGE_BYTES)
            .maxInboundMetadataSize(ByteStream.METADATA_BYTES)
            .flowControlWindow(ByteStream.WINDOW_BYTES)
            .withOption(ChannelOption.ALLOCATOR, loops.alloc())
            .withOption(ChannelOption.TCP_NODELAY, true)
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, millis))
            .build();
    ClientCall<InputStream, InputStream> call =
        channel.newCall(
            ByteStream.METHOD, CallOptions.DEFAULT.withOnReadyThreshold(ByteStream.READY_BYTES));
    CallOutput output =
        new CallOutput(
            new CallerEnd(call),
            attempt.loop(),
            loops.alloc(),
            remote.toString(),
            scratches.of(attempt.loop()));
    CallerConnection connection =
        new CallerConnection(attempt, channel, call, output, settings, loops.clock());
    connection.awaitStart();
    call.start(connection, new Metadata());
    call.request(1);
  }

  /** With its name, for proxies that look at it, unless the name is none of a URI: "a_b" is not. */
  private static InetSocketAddress fitForAuthority(InetSocketAddress remote) {
    try {
      new URI(null, null, remote.getHostString(), remote.getPort(), null, null, null);
      return remote;
    } catch (URISyntaxException unfit) {
      try {
        byte[] literal = remote.getAddress().getAddress();
        return new InetSocketAddress(InetAddress.getByAddress(literal), remote.getPort());
      } catch (UnknownHostException impossible) {
        throw new AssertionError(impossible);
      }
    }
  }

  /** The caller's end. */
  private static final class CallerEnd implements CallEnd {
    private final ClientCall<InputStream, InputStream> call;

    CallerEnd(ClientCall<InputStream, InputStream> call) {
      this.call = call;
    }

    @Override
    public boolean isReady() {
      return call.isReady();
    }

    @Override
    public void send(InputStream message) {
      call.sendMessage(message);
    }

    @Override
    public byte[] binding() {
      return ChannelBinding.atClient(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
    }

    @Override
    public void end() {
      call.halfClose();
    }

    @Override
    public void abort() {
      call.cancel("connection dropped", null);
    }
  }
}
