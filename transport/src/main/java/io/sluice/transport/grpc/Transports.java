package io.sluice.transport.grpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.transport.ConnectionCount.Newcomer;
import io.sluice.transport.session.ServerConnections;
import io.sluice.transport.session.ServerSettings;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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
  // The listener's event loop's.
  private final Set<Line> lines = new HashSet<>();
  private final ServerConnections connections;
  private final int most;
  private final ServerSettings settings;

  /**
   * @param most HTTP/2 connections at once: with and without calls, and those that wait in line
   */
  Transports(ServerConnections connections, int most, ServerSettings settings) {
    this.connections = connections;
    this.most = most;
    this.settings = settings;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    context.channel().closeFuture().addListener(closed -> List.copyOf(lines).forEach(Line::end));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel accepted = (Channel) message;
    SocketAddress peer = accepted.remoteAddress();
    if (peer == null || byPeer.size() + lines.size() >= most) {
      accepted.unsafe().closeForcibly();
      return;
    }
    Line line = new Line(context, accepted, peer);
    Newcomer newcomer = connections.newcomer(peer, line::itsTurn);
    if (newcomer == null) {
      accepted.unsafe().closeForcibly();
    } else if (newcomer.beginsAtOnce()) {
      begin(context, accepted, peer, newcomer);
    } else {
      line.enter(newcomer);
    }
  }

  private void begin(
      ChannelHandlerContext context, Channel accepted, SocketAddress peer, Newcomer newcomer) {
    Transport transport = new Transport(accepted, newcomer);
    byPeer.put(peer, transport);
    // gRPC closes what is idle; calls of methods that are not there keep a connection from that.
    ScheduledFuture<?> deadline =
        context
            .executor()
            .schedule(
                () -> accepted.eventLoop().execute(transport::endIfCallless),
                settings.timeouts().handshakeNanos(),
                TimeUnit.NANOSECONDS);
    accepted
        .closeFuture()
        .addListener(
            closed -> {
              deadline.cancel(false);
              transport.gone();
              byPeer.remove(peer, transport);
            });
    settings.tls().ifPresent(tls -> tls.refused().watch(accepted));
    context.fireChannelRead(accepted);
  }

  /**
   * A connection that waits until others of its address have been let in or are gone. No event loop
   * has it yet, so it is closed by hand, and that its peer has gone is not noticed. Nor can it be
   * told anything, so it waits for as long as its peer may. On the listener's event loop, but for
   * {@link #itsTurn}.
   */
  private final class Line {
    private final ChannelHandlerContext context;
    private final Channel accepted;
    private final SocketAddress peer;
    private @Nullable Newcomer newcomer;
    private @Nullable ScheduledFuture<?> deadline;

    Line(ChannelHandlerContext context, Channel accepted, SocketAddress peer) {
      this.context = context;
      this.accepted = accepted;
      this.peer = peer;
    }

    void enter(Newcomer waiting) {
      newcomer = waiting;
      lines.add(this);
      deadline =
          context
              .executor()
              .schedule(this::end, settings.timeouts().handshakeNanos(), TimeUnit.NANOSECONDS);
    }

    /** Behind {@link #enter}, which is the same loop's. */
    void itsTurn() {
      context.executor().execute(this::leave);
    }

    private void leave() {
      Newcomer next = newcomer;
      if (next != null && lines.remove(this)) {
        cancelDeadline();
        begin(context, accepted, peer, next);
      }
    }

    private void cancelDeadline() {
      if (deadline != null) {
        deadline.cancel(false);
      }
    }

    /** It has waited for too long, or the listener is closed. */
    private void end() {
      if (lines.remove(this)) {
        cancelDeadline();
        accepted.unsafe().closeForcibly();
        if (newcomer != null) {
          newcomer.gone();
        }
      }
    }
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
    private @Nullable Newcomer newcomer;
    private int working;
    private int stuck;

    Transport(Channel channel, Newcomer newcomer) {
      this.channel = channel;
      this.newcomer = newcomer;
    }

    /** The newcomer that its first call is from now on; null for others. */
    @Nullable Newcomer ofFirstCall() {
      Newcomer first = newcomer;
      newcomer = null;
      return first;
    }

    /** A newcomer has had its time. */
    private void endIfCallless() {
      if (newcomer != null) {
        closeAtOnce();
      }
    }

    /** Past gRPC's handler, which would wait for streams to end: for ever for some. */
    private void closeAtOnce() {
      ChannelHandlerContext outermost = channel.pipeline().firstContext();
      if (outermost != null) {
        outermost.close();
      }
    }

    /** The connection is closed. */
    void gone() {
      Newcomer callless = ofFirstCall();
      if (callless != null) {
        callless.gone();
      }
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
      if (stuck > 0 && working == 0) {
        closeAtOnce();
      }
    }
  }
}
