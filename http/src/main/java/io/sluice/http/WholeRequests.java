package io.sluice.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpUtil;

/**
 * Gathers requests. Of one that is too long, only that is passed on, in its turn, so that its
 * answer does not overtake others'; the rest of it is read and dropped.
 */
final class WholeRequests extends HttpObjectAggregator {
  /** Stands for a request that is too long. */
  record TooLong(boolean keepAlive) {}

  WholeRequests(int bytesMax) {
    super(bytesMax);
  }

  @Override
  protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
    ctx.fireChannelRead(new TooLong(HttpUtil.isKeepAlive(oversized)));
  }
}
