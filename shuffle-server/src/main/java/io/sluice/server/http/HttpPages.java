package io.sluice.server.http;

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

/** {@code /metrics}, {@code /health/live} and {@code /health/ready} of a shuffle server. */
public final class HttpPages implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int QUEUED = 64;

  private final HttpServer server;
  private final ThreadPoolExecutor executor;

  private HttpPages(HttpServer server, ThreadPoolExecutor executor) {
    this.server = server;
    this.executor = executor;
  }

  /**
   * Takes the port; {@link #serve} answers.
   *
   * @throws SluiceException INVALID_CONFIGURATION if the port is taken
   */
  public static HttpPages bind(InetSocketAddress address) {
    HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "server.http.port: cannot listen on " + address + ": " + e.getMessage(),
          e);
    }
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUED),
            task -> {
              Thread thread = new Thread(task, "sluice-http");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(executor);
    return new HttpPages(server, executor);
  }

  /** Begins to answer. Once. */
  public void serve(PrometheusRegistry metrics, ServerHealth health) {
    server.createContext("/metrics", new MetricsHandler(metrics));
    server.createContext("/health/live", exchange -> tell(exchange, health::notLive));
    server.createContext("/health/ready", exchange -> tell(exchange, health::notReady));
    server.start();
  }

  private static void tell(HttpExchange exchange, Supplier<Optional<String>> complaint)
      throws IOException {
    try (exchange) {
      Optional<String> problem = complaint.get();
      byte[] body = (problem.orElse("ok") + "\n").getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(problem.isPresent() ? 503 : 200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdown();
  }
}
