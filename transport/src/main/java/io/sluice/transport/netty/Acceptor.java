package io.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
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
    Runnable letIn = connections.newcomer(channel.remoteAddress());
    if (letIn == null) {
      turnAway(channel);
      return;
    }
    if (connections.isFull()) {
      letIn.run();
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
    ServerProtocol protocol = new ServerProtocol(settings, sessions, output, letIn);
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
              letIn.run();
              channels.remove(channel);
              connections.remove(protocol);
            });
  }

  /**
   * Tells a newcomer too many why it is one and closes at once: who comes by the thousand must hold
   * nothing. Without TLS only, which would be an exchange; and who has spoken meanwhile may find
   * the connection reset instead.
   */
  private void turnAway(SocketChannel channel) {
    if (tls != null) {
      channel.close();
      return;
    }
    ByteBuf why = connections.tooManyNewcomers(loops.alloc());
    // It is being registered: what is written before that is done has nowhere to go.
    channel
        .eventLoop()
        .execute(() -> channel.writeAndFlush(why).addListener(ChannelFutureListener.CLOSE));
  }

  /** Not on an event loop. */
  void closeAll() {
    for (Channel channel : channels) {
      channel.close().awaitUninterruptibly();
    }
  }
}
