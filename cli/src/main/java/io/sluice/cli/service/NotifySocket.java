package io.sluice.cli.service;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The socket of {@code sd_notify(3)}: each message is one datagram to a Unix domain socket. Of
 * these Java only has streams. The command {@code systemd-notify} would be another process than the
 * one that systemd watches, and units would have to let any process speak for them. So datagrams go
 * through the epoll library that the data plane brings anyway. A process sends a handful in its
 * life, each over a channel of its own.
 *
 * @param name a path, or after {@code @} a name in the abstract namespace
 */
record NotifySocket(String name) {
  private static final int DEADLINE_SECONDS = 5;

  /**
   * Blocks until the system has taken the message.
   *
   * @throws IOException if it cannot be sent; nothing is tried again
   */
  void send(String message) throws IOException, InterruptedException {
    if (!Epoll.isAvailable()) {
      throw new IOException("no epoll library for this platform", Epoll.unavailabilityCause());
    }
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try {
      ChannelFuture connected =
          new Bootstrap()
              .group(group)
              .channel(EpollDomainDatagramChannel.class)
              .handler(new ChannelInboundHandlerAdapter())
              .connect(new DomainSocketAddress(address()));
      await(connected);
      Channel channel = connected.channel();
      await(channel.writeAndFlush(Unpooled.copiedBuffer(message, StandardCharsets.UTF_8)));
      await(channel.close());
    } finally {
      // What is left open ends with its loop.
      Future<?> ended = group.shutdownGracefully(0, DEADLINE_SECONDS, TimeUnit.SECONDS);
      ended.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** As the system wants it: an abstract name begins with a zero. */
  String address() {
    return name.startsWith("@") ? "\0" + name.substring(1) : name;
  }

  private void await(ChannelFuture step) throws IOException, InterruptedException {
    if (!step.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException(name + " took nothing for " + DEADLINE_SECONDS + " s");
    }
    Throwable failure = step.cause();
    if (failure != null) {
      throw new IOException(name + ": " + failure.getMessage(), failure);
    }
  }
}
