package io.sluice.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.sluice.common.time.Clock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

final class SendBufferTest {
  @Test
  void knowsConnectionsThatStayOnTheMachine() throws Exception {
    assertThat(sameMachine("127.0.0.1", "127.0.0.1")).isTrue();
    assertThat(sameMachine("127.0.0.1", "127.0.0.2")).isTrue();
    assertThat(sameMachine("::1", "::1")).isTrue();
    assertThat(sameMachine("10.1.2.3", "10.1.2.3")).isTrue();
    assertThat(sameMachine("10.1.2.3", "10.1.2.4")).isFalse();
  }

  @Test
  void leavesAloneWhatHasNoAddress() {
    SocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    assertThat(SendBuffer.sameMachine(here, InetSocketAddress.createUnresolved("x", 1))).isFalse();
    EmbeddedChannel channel = new EmbeddedChannel();
    assertThat(SendBuffer.sameMachine(channel.localAddress(), channel.remoteAddress())).isFalse();
    channel.finishAndReleaseAll();
  }

  @Test
  void boundsWhatTheSystemHoldsOfAConnectionWithinTheMachine() {
    try (EventLoops loops =
        EventLoops.open("send-buffer", 1, UnpooledByteBufAllocator.DEFAULT, Clock.system())) {
      ServerSocketChannel listener = listen(loops);
      SocketChannel connected = connect(loops, listener.localAddress());
      SendBuffer.bound(connected);
      // Linux doubles it; other systems do not.
      assertThat(connected.config().getOption(ChannelOption.SO_SNDBUF))
          .isBetween(256 * 1024, 512 * 1024);
      connected.close().awaitUninterruptibly();
      SendBuffer.bound(connected); // harmless
      listener.close().awaitUninterruptibly();
    }
  }

  private static ServerSocketChannel listen(EventLoops loops) {
    return (ServerSocketChannel)
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverChannel())
            .childHandler(new ChannelInboundHandlerAdapter())
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
  }

  private static SocketChannel connect(EventLoops loops, InetSocketAddress to) {
    return (SocketChannel)
        new Bootstrap()
            .group(loops.group())
            .channel(loops.socketChannel())
            .handler(new ChannelInboundHandlerAdapter())
            .connect(to)
            .syncUninterruptibly()
            .channel();
  }

  private static boolean sameMachine(String local, String remote) throws UnknownHostException {
    return SendBuffer.sameMachine(address(local), address(remote));
  }

  private static SocketAddress address(String host) throws UnknownHostException {
    return new InetSocketAddress(InetAddress.getByName(host), 1);
  }
}
