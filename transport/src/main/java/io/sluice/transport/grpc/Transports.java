package io.sluice.transport.grpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.sluice.transport.session.ServerConnections;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
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
    boolean full = peer == null || byPeer.size() >= most || connections.isFull();
    Runnable spoken = full ? null : connections.newcomer(peer);
    if (spoken == null) {
      accepted.unsafe().closeForcibly();
      return;
    }
    Transport transport = new Transport(accepted, spoken);
    byPeer.put(peer, transport);
    accepted
        .closeFuture()
        .addListener(
            closed -> {
              spoken.run();
              byPeer.remove(peer, transport);
            });
    context.fireChannelRead(message);
  }

  /** What carries the calls of a peer; null if it is gone. */
  @Nullable Transport of(@Nullable SocketAddress peer) {
    return peer == null ? null : byPeer.get(peer);
  }

  /**
   * One HTTP/2 connection. A proxy may send calls of several clients through it. But for {@link
   * #loop} on its event loop.
   *
   * <p>A call that its peer does not let end, because it takes nothing, keeps its place and its
   * stream. gRPC's server cannot reset a stream; so the connection is closed under it, unless
   * another call works that was accepted and must not be harmed: then when that is gone. Who has
   * proved nothing so keeps places no longer than the times for handshake and close, however many
   * calls it makes; a newcomer that happens to be on the same connection comes again.
   */
  static final class Transport {
    private final Channel channel;
    private final Runnable spoken;
    private int working;
    private int stuck;

    /**
     * @param spoken to be run when its first call begins: from then on newcomers are its calls
     */
    Transport(Channel channel, Runnable spoken) {
      this.channel = channel;
      this.spoken = spoken;
    }

    /** A call begins. */
    void hasSpoken() {
      spoken.run();
    }

    EventLoop loop() {
      return channel.eventLoop();
    }

    /** One more call was accepted, and works. */
    void works() {
      working++;
    }

    /** A call that worked does not any more. */
    void worksNoMore() {
      working--;
      closeIfStuck();
    }

    /** A call was given up whose end has not come. */
    void isStuck() {
      stuck++;
      closeIfStuck();
    }

    /** The end of a call that was stuck has come. */
    void isFree() {
      stuck--;
    }

    private void closeIfStuck() {
      ChannelHandlerContext outermost = channel.pipeline().firstContext();
      if (stuck > 0 && working == 0 && outermost != null) {
        // Past gRPC's handler, which would wait half a minute for the calls to end.
        outermost.close();
      }
    }
  }
}
