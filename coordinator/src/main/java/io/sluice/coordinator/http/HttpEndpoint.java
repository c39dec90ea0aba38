package io.sluice.coordinator.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.exporter.httpserver.MetricsHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** {@code /metrics}, {@code /health/live} and {@code /health/ready}. */
public final class HttpEndpoint implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int WAITING_REQUESTS = 64;
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;

  private final HttpServer server;
  private final ThreadPoolExecutor threads;

  private HttpEndpoint(HttpServer server, ThreadPoolExecutor threads) {
    this.server = server;
    this.threads = threads;
  }

  /**
   * Binds and serves.
   *
   * @throws SluiceException INVALID_CONFIGURATION if the address cannot be bound
   */
  public static HttpEndpoint start(
      InetSocketAddress address, PrometheusRegistry metrics, Health health) {
    HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "cannot listen on " + address + " (coordinator.http.port): " + e.getMessage(),
          e);
    }
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_REQUESTS),
            task -> {
              Thread thread = new Thread(task, "sluice-http");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext("/metrics", new MetricsHandler(metrics));
    server.createContext("/health/live", exchange -> answer(exchange, health::notLive));
    server.createContext("/health/ready", exchange -> answer(exchange, health::notReady));
    server.start();
    return new HttpEndpoint(server, threads);
  }

  private static void answer(HttpExchange exchange, Supplier<Optional<String>> complaint)
      throws IOException {
    try (exchange) {
      Optional<String> why = complaint.get();
      byte[] body = (why.orElse("ok") + "\n").getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
      exchange.sendResponseHeaders(why.isEmpty() ? OK : UNAVAILABLE, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
