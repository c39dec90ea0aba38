package io.sluice.transport.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sees a connection off that has not begun: drops what its peer has sent, since closing with bytes
 * unread resets the connection, and a reset overtakes what the peer was told.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
final class Farewell extends ChannelInboundHandlerAdapter {
  private Farewell() {}

  /**
   * Says something and no more. The connection closes when the peer has closed it, or after a time.
   * On its event loop.
   *
   * @param nanos how long the peer has to close it
   */
  static void say(SocketChannel channel, byte[] last, long nanos) {
    ScheduledFuture<?> deadline =
        channel.eventLoop().schedule(() -> channel.close(), nanos, TimeUnit.NANOSECONDS);
    channel.closeFuture().addListener(closed -> deadline.cancel(false));
    channel.pipeline().addLast(new Farewell());
    channel
        .writeAndFlush(Unpooled.wrappedBuffer(last))
        .addListener(
            (ChannelFutureListener)
                written -> {
                  if (written.isSuccess()) {
                    channel.shutdownOutput();
                  } else {
                    channel.close();
                  }
                });
    channel.config().setAutoRead(true);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ReferenceCountUtil.release(message);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    context.close();
  }
}
