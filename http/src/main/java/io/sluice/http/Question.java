package io.sluice.http;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.prometheus.metrics.exporter.common.PrometheusHttpRequest;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request without its buffers, as the worker sees it. */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
record Question(
    String method,
    String path,
    @Nullable String query,
    HttpHeaders headers,
    byte[] body,
    Optional<String> certificate,
    String from)
    implements PrometheusHttpRequest {
  static Question of(FullHttpRequest request, Optional<String> certificate, String from) {
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    String query = uri.rawQuery();
    return new Question(
        request.method().name(),
        uri.rawPath(),
        query.isEmpty() ? null : query,
        request.headers(),
        ByteBufUtil.getBytes(request.content()),
        certificate,
        from);
  }

  Request toRequest() {
    Map<String, String> last = new HashMap<>();
    headers.forEach(
        header -> last.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
    return new Request(method, path, query == null ? "" : query, last, body, certificate, from);
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
