package io.sluice.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.sluice.common.tls.TlsContexts;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.session.ServerConnections;
import io.sluice.transport.session.ServerProtocol;
import io.sluice.transport.session.ServerSettings;
import io.sluice.transport.tls.ChannelBinding;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Sets up accepted connections and knows those that live. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
final class Acceptor extends ChannelInitializer<SocketChannel> {
  private final EventLoops loops;
  private final ServerSettings settings;
  private final ServerSessionFactory sessions;
  private final ServerConnections connections;
  private final @Nullable SslContext tls;
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();

  Acceptor(
      EventLoops loops,
      ServerSettings settings,
      ServerSessionFactory sessions,
      ServerConnections connections) {
    this.loops = loops;
    this.settings = settings;
    this.sessions = sessions;
    this.connections = connections;
    this.tls = settings.tls().map(TlsContexts::server).orElse(null);
  }

  @Override
  protected void initChannel(SocketChannel channel) {
    Runnable proved = connections.newcomer(channel.remoteAddress());
    if (proved == null || connections.isFull()) {
      if (proved != null) {
        proved.run();
      }
      // Even those that are being turned away are bounded.
      channel.close();
      return;
    }
    ReceiveBuffer receiveBuffer = loops.receiveBuffer(channel.eventLoop());
    if (tls == null) {
      channel.config().setRecvByteBufAllocator(receiveBuffer.allocator());
    } else {
      TlsChannels.encrypt(channel, tls.newHandler(loops.alloc()), settings.timeouts());
    }
    ChannelOutput output =
        new ChannelOutput(
            channel, loops.alloc(), channel.remoteAddress(), ChannelBinding::atServer);
    ServerProtocol protocol = new ServerProtocol(settings, sessions, output, proved);
    channel
        .pipeline()
        .addLast(
            new ConnectionHandler(
                protocol, receiveBuffer, loops.clock(), settings.timeouts().tickNanos()));
    channels.add(channel);
    connections.add(protocol);
    channel
        .closeFuture()
        .addListener(
            closed -> {
              proved.run();
              channels.remove(channel);
              connections.remove(protocol);
            });
  }

  /** Not on an event loop. */
  void closeAll() {
    for (Channel channel : channels) {
      channel.close().awaitUninterruptibly();
    }
  }
}
