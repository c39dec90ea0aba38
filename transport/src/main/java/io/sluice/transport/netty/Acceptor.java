package io.sluice.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.common.tls.TlsContexts;
import io.sluice.transport.ConnectionCount.Newcomer;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.session.ServerConnections;
import io.sluice.transport.session.ServerProtocol;
import io.sluice.transport.session.ServerSettings;
import io.sluice.transport.tls.ChannelBinding;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sets up accepted connections, in turn, and knows those that live. Thread-safe. */
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
    Line line = new Line(channel);
    Newcomer newcomer = connections.newcomer(channel.remoteAddress(), line::itsTurn);
    if (newcomer == null) {
      // Even those that are being turned away, or wait, are bounded.
      channel.close();
      return;
    }
    channels.add(channel);
    settings.tls().ifPresent(encrypted -> encrypted.refused().watch(channel));
    channel
        .closeFuture()
        .addListener(
            closed -> {
              newcomer.gone();
              channels.remove(channel);
            });
    if (newcomer.beginsAtOnce()) {
      begin(channel, newcomer);
    } else {
      line.enter(newcomer);
    }
  }

  private void begin(SocketChannel channel, Newcomer newcomer) {
    ReceiveBuffer receiveBuffer = loops.receiveBuffer(channel.eventLoop());
    if (tls == null) {
      channel.config().setRecvByteBufAllocator(receiveBuffer.allocator());
    } else {
      TlsChannels.encrypt(channel, tls.newHandler(loops.alloc()), settings.timeouts());
    }
    ChannelOutput output =
        new ChannelOutput(
            channel, loops.alloc(), channel.remoteAddress(), ChannelBinding::atServer);
    ServerProtocol protocol = new ServerProtocol(settings, sessions, output, newcomer::letIn);
    channel
        .pipeline()
        .addLast(
            new ConnectionHandler(
                protocol, receiveBuffer, loops.clock(), settings.timeouts().tickNanos()));
    connections.add(protocol, newcomer);
    channel.closeFuture().addListener(closed -> connections.remove(protocol));
  }

  /**
   * A connection that waits until others of its address have been let in or are gone: nothing is
   * read of it, and it holds a socket only. On its event loop, but for {@link #itsTurn}.
   */
  private final class Line {
    private final SocketChannel channel;
    private @Nullable Newcomer newcomer;
    private @Nullable ScheduledFuture<?> deadline;

    Line(SocketChannel channel) {
      this.channel = channel;
    }

    void enter(Newcomer waiting) {
      newcomer = waiting;
      channel.config().setAutoRead(false);
      deadline =
          channel
              .eventLoop()
              .schedule(this::giveUp, settings.timeouts().lineNanos(), TimeUnit.NANOSECONDS);
    }

    /** Behind {@link #enter}, which is the same loop's. */
    void itsTurn() {
      channel.eventLoop().execute(this::leave);
    }

    private void leave() {
      Newcomer next = newcomer;
      if (next != null && deadline != null && deadline.cancel(false) && channel.isActive()) {
        boolean begun = false;
        try {
          begin(channel, next);
          // What it would have heard if it had been there from the beginning.
          channel.pipeline().fireChannelActive();
          channel.config().setAutoRead(true);
          begun = true;
        } finally {
          if (!begun) {
            channel.close();
          }
        }
      }
    }

    /** Tells it why, so that it does not take the server for dead. */
    private void giveUp() {
      if (newcomer != null) {
        newcomer.gone();
      }
      if (tls != null) {
        TlsChannels.encrypt(channel, tls.newHandler(loops.alloc()), settings.timeouts());
      }
      Farewell.say(channel, connections.waitedInVain(), settings.timeouts().lineNanos());
    }
  }

  /** Not on an event loop. */
  void closeAll() {
    for (Channel channel : channels) {
      channel.close().awaitUninterruptibly();
    }
  }
}
