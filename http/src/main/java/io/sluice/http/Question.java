package io.sluice.http;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.prometheus.metrics.exporter.common.PrometheusHttpRequest;
import java.util.Collections;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/** A request without its buffers, as the worker sees it. */
record Question(String method, String path, @Nullable String query, HttpHeaders headers)
    implements PrometheusHttpRequest {
  static Question of(FullHttpRequest request) {
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    String query = uri.rawQuery();
    return new Question(
        request.method().name(), uri.rawPath(), query.isEmpty() ? null : query, request.headers());
  }

  @Override
  public @Nullable String getQueryString() {
    return query;
  }

  @Override
  public Enumeration<String> getHeaders(String name) {
    return Collections.enumeration(headers.getAll(name));
  }

  @Override
  public String getMethod() {
    return method;
  }

  @Override
  public String getRequestPath() {
    return path;
  }
}
