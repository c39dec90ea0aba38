package io.sluice.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.prometheus.metrics.exporter.common.PrometheusScrapeHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which page answers what. Thread-safe; answers hold heap buffers that nobody need release. */
final class Pages {
  private record Content(PrometheusScrapeHandler metrics, Health health, Site site) {}

  private static final Logger log = LoggerFactory.getLogger(Pages.class);

  private volatile @Nullable Content content;

  void fill(PrometheusRegistry metrics, Health health, Site site) {
    content = new Content(new PrometheusScrapeHandler(metrics), health, site);
  }

  /** Never throws. */
  @SuppressWarnings(
      "CatchingUnchecked") // The edge of a request: whatever goes wrong, it is answered.
  CompletionStage<FullHttpResponse> answer(Question question) {
    Content filled = content;
    if (filled == null) {
      // Slow starts are alive: whoever kills for want of life would kill each of them.
      boolean isAlive = question.path().equals("/health/live");
      return completed(
          text(
              isAlive ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
              "starting\n"));
    }
    try {
      CompletionStage<FullHttpResponse> answer =
          filled.site().owns(question.path())
              ? filled.site().answer(question.toRequest()).thenApply(Pages::response)
              : completed(own(filled, question));
      return answer.exceptionally(failure -> failed(question, failure));
    } catch (RuntimeException e) {
      return completed(failed(question, e));
    }
  }

  /** For a request whose body is too long, whatever its path. */
  FullHttpResponse tooLarge() {
    Content filled = content;
    return filled == null
        ? text(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "too long\n")
        : response(filled.site().tooLarge());
  }

  /** For what is no request. */
  FullHttpResponse malformed() {
    Content filled = content;
    return filled == null
        ? text(HttpResponseStatus.BAD_REQUEST, "not a request\n")
        : response(filled.site().malformed());
  }

  private static CompletionStage<FullHttpResponse> completed(FullHttpResponse response) {
    return CompletableFuture.completedFuture(response);
  }

  private static FullHttpResponse failed(Question question, Throwable failure) {
    log.error("cannot answer {}", question.path(), failure);
    return text(HttpResponseStatus.INTERNAL_SERVER_ERROR, "failed, see the log\n");
  }

  private static FullHttpResponse response(Answer answer) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(answer.status()),
            Unpooled.wrappedBuffer(answer.body()));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, answer.contentType());
    answer.headers().forEach((name, value) -> response.headers().set(name, value));
    return response;
  }

  private static FullHttpResponse own(Content filled, Question question) {
    switch (question.method()) {
      case "GET", "HEAD" -> {}
      default -> {
        FullHttpResponse refusal = text(HttpResponseStatus.METHOD_NOT_ALLOWED, "GET only\n");
        refusal.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
        return refusal;
      }
    }
    return switch (question.path()) {
      case "/metrics" -> metrics(filled.metrics(), question);
      case "/health/live" -> health(filled.health().notLive());
      case "/health/ready" -> health(filled.health().notReady());
      default -> text(HttpResponseStatus.NOT_FOUND, "try /metrics, /health/live, /health/ready\n");
    };
  }

  private static FullHttpResponse metrics(PrometheusScrapeHandler handler, Question question) {
    Scrape scrape = new Scrape(question);
    try {
      handler.handleRequest(scrape);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return scrape.response();
  }

  private static FullHttpResponse health(Optional<String> complaint) {
    return text(
        complaint.isEmpty() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
        complaint.orElse("ok") + "\n");
  }

  static FullHttpResponse text(HttpResponseStatus status, String body) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            status,
            Unpooled.wrappedBuffer(body.getBytes(StandardCharsets.UTF_8)));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
    return response;
  }
}
