package io.sluice.operations;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A real Prometheus that scrapes processes and evaluates {@code deploy/prometheus}. When it has
 * read all targets it raises an alert, and the alert manager that hears of it is this object: so
 * nobody has to ask again and again.
 */
public final class Prometheus implements AutoCloseable {
  private static final int DEADLINE_SECONDS = 60;

  private final Process process;
  private final HttpServer alertManager;
  private final CountDownLatch scraped;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String address;

  private Prometheus(
      Process process, HttpServer alertManager, CountDownLatch scraped, String address) {
    this.process = process;
    this.alertManager = alertManager;
    this.scraped = scraped;
    this.address = address;
  }

  /**
   * Starts one in an empty directory; nothing if there is no such program here.
   *
   * @param coordinators host:port of their metrics
   * @param servers the same
   */
  public static Optional<Prometheus> start(
      Path directory, List<String> coordinators, List<String> servers) throws IOException {
    Optional<Tool> program = Tool.find("prometheus");
    if (program.isEmpty()) {
      return Optional.empty();
    }
    Files.createDirectories(directory);
    CountDownLatch scraped = new CountDownLatch(1);
    HttpServer alertManager =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    alertManager.createContext(
        "/",
        exchange -> {
          String alerts = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
          if (alerts.contains("AllScraped")) {
            scraped.countDown();
          }
        });
    alertManager.start();
    int targets = coordinators.size() + servers.size();
    Files.writeString(
        directory.resolve("prometheus.yml"),
        configuration(coordinators, servers, alertManager.getAddress().getPort()));
    Files.writeString(directory.resolve("all-scraped.yml"), allScraped(targets));
    String address = "127.0.0.1:" + freePort();
    Process process =
        new ProcessBuilder(
                program.get().path().toString(),
                "--config.file=" + directory.resolve("prometheus.yml"),
                "--storage.tsdb.path=" + directory.resolve("data"),
                "--web.listen-address=" + address)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    return Optional.of(new Prometheus(process, alertManager, scraped, address));
  }

  private static String configuration(
      List<String> coordinators, List<String> servers, int alertManager) {
    StringBuilder rules = new StringBuilder();
    MonitoringQueries.rules().forEach(file -> rules.append(file).append(", "));
    return String.format(
        Locale.ROOT,
        """
        global: {scrape_interval: 1s, evaluation_interval: 1s}
        rule_files: [%sall-scraped.yml]
        alerting:
          alertmanagers: [{static_configs: [{targets: ['127.0.0.1:%d']}]}]
        scrape_configs:
          - {job_name: sluice-coordinator, static_configs: [{targets: ['%s']}]}
          - {job_name: sluice-server, static_configs: [{targets: ['%s']}]}
        """,
        rules,
        alertManager,
        String.join("','", coordinators),
        String.join("','", servers));
  }

  private static String allScraped(int targets) {
    return String.format(
        Locale.ROOT,
        """
        groups:
          - name: test
            rules: [{alert: AllScraped, expr: count(up == 1) == %d}]
        """,
        targets);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** Whether every target was read, and the rules evaluated, within a minute. */
  public boolean awaitScrape() throws InterruptedException {
    return scraped.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  /** Names of all that it has read or recorded. */
  public Set<String> names() throws IOException, InterruptedException {
    Set<String> names = new TreeSet<>();
    Yaml answer = Yaml.documents(get("/api/v1/label/__name__/values")).get(0);
    answer.each("data").forEach(name -> names.add(name.text()));
    return names;
  }

  /** Status of the answer to a query: {@code success}, or what is wrong with it. */
  public String ask(String query) throws IOException, InterruptedException {
    Yaml answer =
        Yaml.documents(get("/api/v1/query?query=" + URLEncoder.encode(query, UTF_8))).get(0);
    return answer.has("error") ? answer.at("error").text() : answer.at("status").text();
  }

  private String get(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + path)).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Override
  public void close() {
    process.destroy();
    alertManager.stop(0);
  }
}
