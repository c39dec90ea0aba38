package io.sluice.transport.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.util.concurrent.EventExecutor;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.time.Clock;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The threads that move bytes, each with its receive buffer: epoll where it works, NIO elsewhere.
 * Shared by all servers and connectors of a process; closed after them, since buffers and executors
 * of connections come from here.
 */
public final class EventLoops implements AutoCloseable {
  /** Connections that the system holds until they are accepted. */
  public static final int BACKLOG = 1024;

  private static final long STOP_SECONDS = 10;

  /** Negated EADDRINUSE of Linux, the only system with epoll. */
  private static final int ADDRESS_IN_USE = -98;

  private final EventLoopGroup group;
  private final boolean epoll;
  private final ByteBufAllocator alloc;
  private final Clock clock;
  private final IdentityHashMap<EventExecutor, ReceiveBuffer> receiveBuffers;

  private EventLoops(EventLoopGroup group, boolean epoll, ByteBufAllocator alloc, Clock clock) {
    this.group = group;
    this.epoll = epoll;
    this.alloc = alloc;
    this.clock = clock;
    this.receiveBuffers = new IdentityHashMap<>();
  }

  /**
   * @param threadPrefix names threads {@code prefix-1-1}, …
   * @param alloc for receive buffers and frames; must give direct buffers
   */
  public static EventLoops open(
      String threadPrefix, int threads, ByteBufAllocator alloc, Clock clock) {
    return open(threadPrefix, threads, alloc, clock, Epoll.isAvailable());
  }

  /** As above, with the choice between epoll and NIO made by the caller. */
  static EventLoops open(
      String threadPrefix, int threads, ByteBufAllocator alloc, Clock clock, boolean epoll) {
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(threads, new LoopThreads(threadPrefix), io);
    EventLoops loops = new EventLoops(group, epoll, alloc, clock);
    boolean complete = false;
    try {
      for (EventExecutor loop : group) {
        loops.receiveBuffers.put(loop, new ReceiveBuffer(alloc));
      }
      complete = true;
      return loops;
    } finally {
      if (!complete) { // No direct memory left: whoever tries again should not find even less.
        loops.close();
      }
    }
  }

  public EventLoopGroup group() {
    return group;
  }

  /** The event loops in turn. */
  public EventLoop next() {
    return group.next();
  }

  public ByteBufAllocator alloc() {
    return alloc;
  }

  public Clock clock() {
    return clock;
  }

  ReceiveBuffer receiveBuffer(EventLoop loop) {
    ReceiveBuffer buffer = receiveBuffers.get(loop);
    if (buffer == null) {
      throw new IllegalArgumentException("not an event loop of this group: " + loop);
    }
    return buffer;
  }

  Class<? extends ServerSocketChannel> serverChannel() {
    return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** A socket to listen with on these event loops; owned by the caller. */
  public ServerSocketChannel newServerChannel() {
    return epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel();
  }

  public Class<? extends SocketChannel> socketChannel() {
    return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /**
   * What to throw if a port cannot be had: the epoll transport reports errno where NIO throws a
   * BindException.
   */
  public static CannotListenException cannotListen(InetSocketAddress address, Throwable cause) {
    return cause instanceof NativeIoException
            && ((NativeIoException) cause).expectedErr() == ADDRESS_IN_USE
        ? CannotListenException.inUse(address, cause)
        : CannotListenException.of(address, cause);
  }

  /**
   * Stops the threads after the tasks they have, then frees the receive buffers. Blocks for at most
   * ten seconds; not to be called on an event loop. Executors of connections refuse tasks
   * afterwards; so a connection that has not been told its end before may never be, and keeps its
   * buffers.
   */
  @Override
  public void close() {
    boolean stopped =
        group
            .shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
            .awaitUninterruptibly(STOP_SECONDS + 1, TimeUnit.SECONDS);
    if (stopped) {
      receiveBuffers.values().forEach(ReceiveBuffer::close);
      receiveBuffers.clear();
    }
  }
}
