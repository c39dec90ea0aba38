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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Dials servers. Thread-safe; owns nothing: connections live until closed by their sessions. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
public final class NettyConnector {
  private final EventLoops loops;
  private final ClientSettings settings;
  private final Executor nameLookups;

  /**
   * @param nameLookups where host names are resolved, which blocks; anew for each connection
   */
  public NettyConnector(EventLoops loops, ClientSettings settings, Executor nameLookups) {
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
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      dial(loop, literal, host, port, expected, session);
      return;
    }
    try {
      nameLookups.execute(() -> lookUp(loop, host, port, expected, session));
    } catch (RejectedExecutionException stopped) {
      refused(loop, host + ":" + port, session, stopped);
    }
  }

  private void lookUp(
      EventLoop loop, String host, int port, @Nullable ServerId expected, ClientSession session) {
    try {
      dial(loop, InetAddress.getByName(host).getAddress(), host, port, expected, session);
    } catch (UnknownHostException unknown) {
      refused(loop, host + ":" + port, session, unknown);
    }
  }

  private void dial(
      EventLoop loop,
      byte[] address,
      String host,
      int port,
      @Nullable ServerId expected,
      ClientSession session) {
    SocketAddress remote;
    try {
      remote = new InetSocketAddress(InetAddress.getByAddress(host, address), port);
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
    new Bootstrap()
        .group(loop)
        .channel(loops.socketChannel())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.ALLOCATOR, loops.alloc())
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, NettyServer.WATER_MARK)
        .option(
            ChannelOption.CONNECT_TIMEOUT_MILLIS,
            (int) TimeUnit.NANOSECONDS.toMillis(settings.timeouts().handshakeNanos()))
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                connected(channel, remote, expected, session);
              }
            })
        .connect(remote)
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                refused(loop, remote.toString(), session, done.cause());
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

  private static void refused(
      EventLoop loop, String where, ClientSession session, Throwable cause) {
    loop.execute(
        () ->
            session.closed(
                new SluiceException(
                    ErrorCode.CONNECT_FAILED,
                    "cannot connect to " + where + ": " + cause.getMessage(),
                    cause)));
  }
}
