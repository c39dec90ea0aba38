package io.sluice.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.prometheus.metrics.exporter.common.PrometheusHttpExchange;
import io.prometheus.metrics.exporter.common.PrometheusHttpRequest;
import io.prometheus.metrics.exporter.common.PrometheusHttpResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** One scrape as the Prometheus library sees it; its answer is gathered on the heap. */
final class Scrape implements PrometheusHttpExchange, PrometheusHttpResponse {
  private final Question question;
  private final HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private HttpResponseStatus status = HttpResponseStatus.INTERNAL_SERVER_ERROR;

  Scrape(Question question) {
    this.question = question;
  }

  @Override
  public PrometheusHttpRequest getRequest() {
    return question;
  }

  @Override
  public PrometheusHttpResponse getResponse() {
    return this;
  }

  @Override
  public void setHeader(String name, String value) {
    headers.set(name, value);
  }

  @Override
  public OutputStream sendHeadersAndGetBody(int statusCode, int contentLength) {
    status = HttpResponseStatus.valueOf(statusCode);
    return body;
  }

  @Override
  public void handleException(IOException e) throws IOException {
    throw e;
  }

  @Override
  public void handleException(RuntimeException e) {
    throw e;
  }

  @Override
  public void close() {
    // Nothing to release: the answer lies on the heap.
  }

  FullHttpResponse response() {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body.toByteArray()));
    response.headers().setAll(headers);
    return response;
  }
}
