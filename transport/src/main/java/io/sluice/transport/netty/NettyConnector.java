package io.sluice.transport.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.sluice.common.tls.TlsContexts;
import io.sluice.transport.session.ClientProtocol;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.tls.ChannelBinding;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The protocol over plain sockets. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
public final class NettyConnector extends DataConnector {
  private final EventLoops loops;
  private final ClientSettings settings;
  private final @Nullable SslContext tls;

  /** As {@link DataConnector}. */
  public NettyConnector(EventLoops loops, ClientSettings settings, Executor nameLookups) {
    super(loops, settings.timeouts().handshakeNanos(), nameLookups);
    this.loops = loops;
    this.settings = settings;
    this.tls = context(settings);
  }

  NettyConnector(EventLoops loops, ClientSettings settings, NameLookups nameLookups) {
    super(loops, settings.timeouts().handshakeNanos(), nameLookups);
    this.loops = loops;
    this.settings = settings;
    this.tls = context(settings);
  }

  private static @Nullable SslContext context(ClientSettings settings) {
    return settings.tls().map(TlsContexts::client).orElse(null);
  }

  @Override
  protected void dial(Dial attempt, InetSocketAddress remote) {
    long millis = TimeUnit.NANOSECONDS.toMillis(attempt.nanosLeft());
    new Bootstrap()
        .group(attempt.loop())
        .channel(loops.socketChannel())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.ALLOCATOR, loops.alloc())
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, NettyServer.WATER_MARK)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, millis))
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                connected(channel, remote, attempt);
              }
            })
        .connect(remote)
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                attempt.refused(remote.toString(), done.cause());
              }
            });
  }

  private void connected(Channel channel, InetSocketAddress remote, Dial attempt) {
    ReceiveBuffer receiveBuffer = loops.receiveBuffer(channel.eventLoop());
    if (tls == null) {
      channel.config().setRecvByteBufAllocator(receiveBuffer.allocator());
    } else {
      SslHandler handler = tls.newHandler(loops.alloc(), remote.getHostString(), remote.getPort());
      TlsChannels.encrypt(channel, handler, settings.timeouts());
    }
    ChannelOutput output =
        new ChannelOutput(channel, loops.alloc(), remote, ChannelBinding::atClient);
    ClientProtocol protocol =
        new ClientProtocol(settings, attempt.expected(), attempt.session(), output);
    channel
        .pipeline()
        .addLast(
            new ConnectionHandler(
                protocol, receiveBuffer, loops.clock(), settings.timeouts().tickNanos()));
  }
}
