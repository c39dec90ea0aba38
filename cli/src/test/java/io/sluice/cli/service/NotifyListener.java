package io.sluice.cli.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** In systemd's place: a socket, and what was said to it. */
final class NotifyListener implements AutoCloseable {
  private static final int DEADLINE_SECONDS = 60;

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

  private NotifyListener() {}

  static NotifyListener at(String name) throws InterruptedException {
    NotifyListener listener = new NotifyListener();
    new Bootstrap()
        .group(listener.group)
        .channel(EpollDomainDatagramChannel.class)
        .handler(listener.new Handler())
        .bind(new DomainSocketAddress(new NotifySocket(name).address()))
        .sync();
    return listener;
  }

  /** The next message, which has to come in time. */
  String next() throws InterruptedException {
    String message = heard.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
    if (message == null) {
      throw new AssertionError("nothing was said within " + DEADLINE_SECONDS + " s");
    }
    return message;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private final class Handler extends SimpleChannelInboundHandler<DomainDatagramPacket> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, DomainDatagramPacket sent) {
      heard.add(sent.content().toString(UTF_8));
    }
  }
}
