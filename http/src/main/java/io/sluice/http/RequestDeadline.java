package io.sluice.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection whose request does not arrive, or is not answered and taken, in time.
 *
 * <p>The clock of a request runs from its first byte, not from its last, so bytes that drip in do
 * not buy more time; it stops when the answer has been written out.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
final class RequestDeadline extends ChannelDuplexHandler {
  private final int requestSeconds;
  private final int idleSeconds;
  private boolean inRequest;
  private @Nullable ScheduledFuture<?> end;

  RequestDeadline(int requestSeconds, int idleSeconds) {
    this.requestSeconds = requestSeconds;
    this.idleSeconds = idleSeconds;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    // Who connects has something to ask: the first request gets no idle time.
    inRequest = true;
    endIn(ctx, requestSeconds);
    ctx.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!inRequest) {
      inRequest = true;
      endIn(ctx, requestSeconds);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    ctx.write(message, promise.unvoid().addListener(written -> answered(ctx)));
  }

  private void answered(ChannelHandlerContext ctx) {
    inRequest = false;
    endIn(ctx, idleSeconds);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    cancel();
    ctx.fireChannelInactive();
  }

  private void endIn(ChannelHandlerContext ctx, int seconds) {
    cancel();
    if (ctx.channel().isActive()) {
      end = ctx.executor().schedule(() -> ctx.close(), seconds, TimeUnit.SECONDS);
    }
  }

  private void cancel() {
    if (end != null) {
      end.cancel(false);
      end = null;
    }
  }
}
