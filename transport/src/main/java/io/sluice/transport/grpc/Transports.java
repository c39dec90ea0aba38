package io.sluice.transport.grpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.sluice.transport.session.ServerConnections;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP/2 connections under a server's calls: bounds their number, and finds the one that
 * carries a call, which gRPC does not give away. Sits in front of gRPC's own handler where sockets
 * are accepted. Thread-safe.
 */
@ChannelHandler.Sharable
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
final class Transports extends ChannelInboundHandlerAdapter {
  private final ConcurrentHashMap<SocketAddress, Transport> byPeer = new ConcurrentHashMap<>();
  private final ServerConnections connections;
  private final int most;

  /**
   * @param most HTTP/2 connections at once, with and without calls
   */
  Transports(ServerConnections connections, int most) {
    this.connections = connections;
    this.most = most;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel accepted = (Channel) message;
    SocketAddress peer = accepted.remoteAddress();
    if (peer == null || byPeer.size() >= most || connections.isFull()) {
      accepted.unsafe().closeForcibly();
      return;
    }
    Transport transport = new Transport(accepted);
    byPeer.put(peer, transport);
    accepted.closeFuture().addListener(closed -> byPeer.remove(peer, transport));
    context.fireChannelRead(message);
  }

  /** What carries the calls of a peer; null if it is gone. */
  @Nullable Transport of(@Nullable SocketAddress peer) {
    return peer == null ? null : byPeer.get(peer);
  }

  /** One HTTP/2 connection. A proxy may send calls of several clients through it. */
  static final class Transport {
    private final Channel channel;
    private final AtomicInteger calls = new AtomicInteger();

    Transport(Channel channel) {
      this.channel = channel;
    }

    EventLoop loop() {
      return channel.eventLoop();
    }

    void callBegins() {
      calls.incrementAndGet();
    }

    void callEnds() {
      calls.decrementAndGet();
    }

    /**
     * Closes the connection if it carries no more than one call.
     *
     * @return false if there are others, which must not be harmed
     */
    boolean closeIfAlone() {
      boolean alone = calls.get() <= 1;
      if (alone) {
        channel.close();
      }
      return alone;
    }
  }
}
