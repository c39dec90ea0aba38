package io.sluice.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands whole requests to the worker, one at a time for a connection, and writes its answers.
 * Confined to the event loop, except for {@link #answer}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
final class PageHandler extends SimpleChannelInboundHandler<Object> {
  private static final Logger log = LoggerFactory.getLogger(PageHandler.class);

  private final Pages pages;
  private final Executor worker;

  PageHandler(Pages pages, Executor worker) {
    this.pages = pages;
    this.worker = worker;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, Object message) {
    if (message instanceof WholeRequests.TooLong tooLong) {
      ctx.channel().config().setAutoRead(false);
      write(ctx, pages.tooLarge(), tooLong.keepAlive());
    } else {
      ask(ctx, (FullHttpRequest) message);
    }
  }

  private void ask(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (!request.decoderResult().isSuccess()) {
      write(ctx, pages.malformed(), false);
      return;
    }
    boolean keepAlive = HttpUtil.isKeepAlive(request);
    // Nothing more is read until this one is answered: a client cannot pile up work by pipelining.
    ctx.channel().config().setAutoRead(false);
    Question question = Question.of(request, certificate(ctx), from(ctx));
    try {
      worker.execute(() -> answer(ctx, question, keepAlive));
    } catch (RejectedExecutionException e) {
      write(ctx, Pages.text(HttpResponseStatus.SERVICE_UNAVAILABLE, "too busy\n"), false);
    }
  }

  private static Optional<String> certificate(ChannelHandlerContext ctx) {
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    if (tls == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(tls.engine().getSession().getPeerPrincipal().getName());
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty(); // none was asked for
    }
  }

  private static String from(ChannelHandlerContext ctx) {
    return ctx.channel().remoteAddress() instanceof InetSocketAddress address
        ? NetUtil.toSocketAddressString(address)
        : "unknown"; // has gone meanwhile
  }

  /** On the worker. */
  private void answer(ChannelHandlerContext ctx, Question question, boolean keepAlive) {
    pages
        .answer(question)
        .thenAccept(
            response -> {
              try {
                ctx.executor().execute(() -> write(ctx, response, keepAlive));
              } catch (RejectedExecutionException e) {
                response.release();
              }
            });
  }

  private static void write(
      ChannelHandlerContext ctx, FullHttpResponse response, boolean keepAlive) {
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
        .set(
            HttpHeaderNames.CONNECTION,
            keepAlive ? HttpHeaderValues.KEEP_ALIVE : HttpHeaderValues.CLOSE);
    ctx.writeAndFlush(response)
        .addListener(
            written -> {
              if (keepAlive && written.isSuccess()) {
                ctx.channel().config().setAutoRead(true);
              } else {
                ctx.close();
              }
            });
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    log.debug("connection of {} ended", ctx.channel().remoteAddress(), cause);
    ctx.close();
  }
}
