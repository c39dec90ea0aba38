package io.sluice.transport.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.ClientSession;
import io.sluice.transport.session.ClientProtocol;
import io.sluice.transport.session.ClientSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dials servers. Looking the name up and opening the connection share one handshake timeout; the
 * handshake has its own. Thread-safe; owns nothing: connections live until closed by their
 * sessions.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
public final class NettyConnector {
  private static final Logger log = LoggerFactory.getLogger(NettyConnector.class);

  private final EventLoops loops;
  private final ClientSettings settings;
  private final NameLookups nameLookups;

  /**
   * @param nameLookups where host names are resolved, which blocks; anew for each connection. Each
   *     name that is being looked up holds one thread; it should have a few, and bound its queue
   */
  public NettyConnector(EventLoops loops, ClientSettings settings, Executor nameLookups) {
    this(loops, settings, new NameLookups(nameLookups, NameLookups.Resolver.ofSystem()));
  }

  NettyConnector(EventLoops loops, ClientSettings settings, NameLookups nameLookups) {
    this.loops = loops;
    this.settings = settings;
    this.nameLookups = nameLookups;
  }

  /**
   * Begins to connect and returns. The session hears {@code connected} or {@code closed}, on the
   * event loop that the connection then stays on.
   *
   * @param host name or literal address
   * @param expected the server meant, or null for whichever answers there
   */
  public void connect(String host, int port, @Nullable ServerId expected, ClientSession session) {
    connect(loops.next(), host, port, expected, session);
  }

  /**
   * As above, on an event loop that {@link EventLoops#next} gave: for a caller that keeps state
   * there from one connection to the next.
   */
  public void connect(
      EventLoop loop, String host, int port, @Nullable ServerId expected, ClientSession session) {
    Attempt attempt = new Attempt(loop, host, port, expected, session);
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      dial(attempt, literal);
    } else {
      attempt.lookUp();
    }
  }

  private void dial(Attempt attempt, byte[] address) {
    SocketAddress remote;
    try {
      remote = new InetSocketAddress(InetAddress.getByAddress(attempt.host, address), attempt.port);
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(attempt.nanosLeft());
    new Bootstrap()
        .group(attempt.loop)
        .channel(loops.socketChannel())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.ALLOCATOR, loops.alloc())
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, NettyServer.WATER_MARK)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, millis))
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                connected(channel, remote, attempt.expected, attempt.session);
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

  private void connected(
      Channel channel, SocketAddress remote, @Nullable ServerId expected, ClientSession session) {
    ReceiveBuffer receiveBuffer = loops.receiveBuffer(channel.eventLoop());
    channel.config().setRecvByteBufAllocator(receiveBuffer.allocator());
    ChannelOutput output = new ChannelOutput(channel, loops.alloc(), remote);
    ClientProtocol protocol = new ClientProtocol(settings, expected, session, output);
    channel
        .pipeline()
        .addLast(
            new ConnectionHandler(
                protocol, receiveBuffer, loops.clock(), settings.timeouts().tickNanos()));
  }

  /** One attempt to connect. */
  private final class Attempt {
    private final EventLoop loop;
    private final String host;
    private final int port;
    private final @Nullable ServerId expected;
    private final ClientSession session;
    private final long deadline;

    // The event loop's: whether the lookup has ended, or been given up.
    private boolean lookedUp;

    Attempt(
        EventLoop loop, String host, int port, @Nullable ServerId expected, ClientSession session) {
      this.loop = loop;
      this.host = host;
      this.port = port;
      this.expected = expected;
      this.session = session;
      this.deadline = loops.clock().nanoTime() + settings.timeouts().handshakeNanos();
    }

    long nanosLeft() {
      return deadline - loops.clock().nanoTime();
    }

    void lookUp() {
      Future<?> timer =
          loop.schedule(
              () -> endLookUp(null, new TimeoutException("looking the name up took too long")),
              nanosLeft(),
              TimeUnit.NANOSECONDS);
      nameLookups
          .lookUp(host)
          .whenComplete(
              (address, unknown) ->
                  onLoop(
                      () -> {
                        timer.cancel(false);
                        endLookUp(address, unknown);
                      }));
    }

    private void endLookUp(byte @Nullable [] address, @Nullable Throwable failure) {
      if (lookedUp) {
        return;
      }
      lookedUp = true;
      if (address != null) {
        dial(this, address);
      } else {
        refused(host + ":" + port, failure);
      }
    }

    void refused(String where, @Nullable Throwable cause) {
      String why = cause == null ? "no address" : cause.getMessage();
      onLoop(
          () ->
              session.closed(
                  new SluiceException(
                      ErrorCode.CONNECT_FAILED, "cannot connect to " + where + ": " + why, cause)));
    }

    private void onLoop(Runnable task) {
      try {
        loop.execute(task);
      } catch (RejectedExecutionException ended) {
        // The process is done with connections: nobody is left to tell.
        log.debug("attempt to connect to {} came too late", host, ended);
      }
    }
  }
}
