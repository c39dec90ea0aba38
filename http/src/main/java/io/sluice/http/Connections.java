package io.sluice.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps the connections of one event loop below a limit: a new one ends the oldest, so that a
 * newcomer who only wants to know our health is let in however many others hold connections open.
 * Confined to that event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
@Sharable
final class Connections extends ChannelInboundHandlerAdapter {
  private final int limit;
  private final Set<Channel> open = new LinkedHashSet<>();

  Connections(int limit) {
    this.limit = limit;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (open.size() == limit) {
      Iterator<Channel> oldest = open.iterator();
      Channel ended = oldest.next();
      oldest.remove();
      ended.close();
    }
    open.add(ctx.channel());
    ctx.fireChannelActive();
  }

  /** Ends them all. */
  void closeAll() {
    List.copyOf(open).forEach(Channel::close);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    open.remove(ctx.channel());
    ctx.fireChannelInactive();
  }
}
