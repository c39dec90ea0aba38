package io.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.common.time.Clock;
import io.sluice.transport.session.Protocol;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Drives a protocol from a channel's events. Last in the pipeline: whatever comes before (TLS, one
 * day) hands in plain bytes.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
final class ConnectionHandler extends ChannelInboundHandlerAdapter {
  private final Protocol protocol;
  private final ReceiveBuffer receiveBuffer;
  private final Clock clock;
  private final long tickNanos;
  private @Nullable ScheduledFuture<?> ticks;
  private @Nullable Throwable cause;

  ConnectionHandler(Protocol protocol, ReceiveBuffer receiveBuffer, Clock clock, long tickNanos) {
    this.protocol = protocol;
    this.receiveBuffer = receiveBuffer;
    this.clock = clock;
    this.tickNanos = tickNanos;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    SendBuffer.bound(context.channel());
    ticks =
        context
            .channel()
            .eventLoop()
            .scheduleWithFixedDelay(
                () -> protocol.tick(clock.nanoTime()), tickNanos, tickNanos, TimeUnit.NANOSECONDS);
    protocol.start(clock.nanoTime());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      if (receiveBuffer.is(bytes)) {
        protocol.receive(receiveBuffer.view(), bytes.readerIndex(), bytes.readableBytes());
      } else {
        for (ByteBuffer piece : bytes.nioBuffers()) {
          protocol.receive(piece, piece.position(), piece.remaining());
        }
      }
    } finally {
      bytes.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    protocol.readComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    protocol.writabilityChanged();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      context.close();
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (ticks != null) {
      ticks.cancel(false);
    }
    protocol.disconnected(cause);
  }

  /** A socket error: the channel is closed, and its end reported once, by channelInactive. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    if (cause == null) {
      cause = failure;
    }
    context.close();
  }
}
