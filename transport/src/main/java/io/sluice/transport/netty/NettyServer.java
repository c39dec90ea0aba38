package io.sluice.transport.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.Errors.NativeIoException;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.session.ServerProtocol;
import io.sluice.transport.session.ServerSettings;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Listens for clients and gives each connection a session. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
public final class NettyServer implements AutoCloseable {
  /**
   * Bytes waiting in a channel that stop further bulk. Small, because what is in the channel can no
   * longer be overtaken; the socket's own buffer keeps the wire busy.
   */
  static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1024, 512 * 1024);

  private static final int BACKLOG = 1024;

  /** Negated EADDRINUSE of Linux, the only system with epoll. */
  private static final int ADDRESS_IN_USE = -98;

  private final Channel listener;
  private final Acceptor acceptor;
  private final ServerSettings settings;

  private NettyServer(Channel listener, Acceptor acceptor, ServerSettings settings) {
    this.listener = listener;
    this.acceptor = acceptor;
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
    Acceptor acceptor = new Acceptor(loops, settings, sessions);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, loops.alloc())
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childHandler(acceptor)
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw refused(address, bound.cause());
    }
    return new NettyServer(bound.channel(), acceptor, settings);
  }

  /** The epoll transport reports errno where NIO throws a BindException. */
  private static CannotListenException refused(InetSocketAddress address, Throwable cause) {
    return cause instanceof NativeIoException
            && ((NativeIoException) cause).expectedErr() == ADDRESS_IN_USE
        ? CannotListenException.inUse(address, cause)
        : CannotListenException.of(address, cause);
  }

  /** Where it listens, with the port that was taken. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Connections that live, unfinished handshakes included. */
  public int connections() {
    return acceptor.connectionCount();
  }

  /**
   * Stops listening and asks every client to finish and go.
   *
   * @return completes when the last connection is gone; {@link #close} ends the wait
   */
  public CompletableFuture<Void> goAway() {
    listener.close();
    CompletableFuture<Void> gone = acceptor.stop();
    acceptor.forEach(ServerProtocol::goAway);
    return gone;
  }

  /**
   * Stops listening and ends every connection with SHUTTING_DOWN. Sessions have been closed when
   * this returns. Blocks for at most the close timeout; not to be called on an event loop.
   */
  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    CompletableFuture<Void> gone = acceptor.stop();
    acceptor.forEach(p -> p.refuse(ErrorCode.SHUTTING_DOWN, "server stops"));
    try {
      gone.get(settings.timeouts().closeNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException late) {
      acceptor.closeAll();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      acceptor.closeAll();
    }
  }
}
