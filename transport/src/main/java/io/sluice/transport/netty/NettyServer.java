package io.sluice.transport.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.sluice.common.error.CannotListenException;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.session.ServerConnections;
import io.sluice.transport.session.ServerSettings;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** The protocol over plain sockets. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
public final class NettyServer implements DataServer {
  /**
   * Bytes waiting in a channel that stop further bulk. Small, because what is in the channel can no
   * longer be overtaken; the socket's own buffer keeps the wire busy.
   */
  static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1024, 512 * 1024);

  /**
   * Bytes of direct memory that an encrypted connection may take beside what the server accounts
   * for: what has been encrypted and not sent, up to the mark and one piece beyond it, and what was
   * received and is no whole record.
   */
  public static final long TLS_BYTES_PER_CONNECTION =
      TlsChannels.HIGH_WATER + TransportLimits.MAX_DATA_BYTES + TlsChannels.READ_MAX;

  private final Channel listener;
  private final Acceptor acceptor;
  private final ServerConnections connections;
  private final ServerSettings settings;

  private NettyServer(
      Channel listener, Acceptor acceptor, ServerConnections connections, ServerSettings settings) {
    this.listener = listener;
    this.acceptor = acceptor;
    this.connections = connections;
    this.settings = settings;
  }

  /**
   * Starts to listen; port 0 takes a free one. Blocks until bound.
   *
   * @throws CannotListenException if the address cannot be had
   */
  public static NettyServer bind(
      EventLoops loops,
      InetSocketAddress address,
      ServerSettings settings,
      ServerSessionFactory sessions) {
    ConnectionCount count = new ConnectionCount(settings.limits().maxConnections());
    return bind(loops, address, settings, sessions, count);
  }

  /** As above, where other listeners count towards the same limit of connections. */
  public static NettyServer bind(
      EventLoops loops,
      InetSocketAddress address,
      ServerSettings settings,
      ServerSessionFactory sessions,
      ConnectionCount count) {
    ServerConnections connections = new ServerConnections(count);
    Acceptor acceptor = new Acceptor(loops, settings, sessions, connections);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, EventLoops.BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, loops.alloc())
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childHandler(acceptor)
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw EventLoops.cannotListen(address, bound.cause());
    }
    return new NettyServer(bound.channel(), acceptor, connections, settings);
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public int connections() {
    return connections.size();
  }

  @Override
  public CompletableFuture<Void> goAway() {
    listener.close();
    return connections.goAway();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    connections.end(settings.timeouts().closeNanos());
    // Those that would not go, and those that wait for their turn.
    acceptor.closeAll();
  }
}
