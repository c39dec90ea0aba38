package io.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StatusPagesTest {
  private static final int LONG = 100;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  private final PrometheusRegistry metrics = new PrometheusRegistry();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  @Test
  void healthSaysWhy() throws Exception {
    StatusPages pages = pages(LONG);
    pages.serve(metrics, health(Optional.empty(), Optional.of("no leader")));

    assertThat(get(pages, "/health/live").statusCode()).isEqualTo(200);
    assertThat(get(pages, "/health/live").body()).isEqualTo("ok\n");
    assertThat(get(pages, "/health/ready").statusCode()).isEqualTo(503);
    assertThat(get(pages, "/health/ready").body()).isEqualTo("no leader\n");
    assertThat(get(pages, "/elsewhere").statusCode()).isEqualTo(404);
  }

  @Test
  void beforeThereIsAnythingToSayAllPagesSayStarting() throws Exception {
    StatusPages pages = pages(LONG);

    assertThat(get(pages, "/metrics").statusCode()).isEqualTo(503);
    assertThat(get(pages, "/health/live").body()).isEqualTo("starting\n");
  }

  @Test
  void metricsComeAsTextOrCompressed() throws Exception {
    Counter.builder().name("blocks").register(metrics).inc(7);
    StatusPages pages = pages(LONG);
    pages.serve(metrics, health(Optional.empty(), Optional.empty()));

    HttpResponse<String> plain = get(pages, "/metrics");
    assertThat(plain.headers().firstValue("content-type").orElseThrow()).startsWith("text/plain");
    assertThat(plain.body()).contains("blocks_total 7.0");
    assertThat(get(pages, "/metrics?name[]=other").body()).doesNotContain("blocks_total");

    HttpResponse<InputStream> zipped =
        client.send(
            request(pages, "/metrics").header("Accept-Encoding", "gzip").build(),
            HttpResponse.BodyHandlers.ofInputStream());
    assertThat(zipped.headers().firstValue("content-encoding")).contains("gzip");
    assertThat(new GZIPInputStream(zipped.body()).readAllBytes())
        .asString(StandardCharsets.UTF_8)
        .contains("blocks_total 7.0");
  }

  @Test
  void otherMethodsAreRefused() throws Exception {
    StatusPages pages = pages(LONG);
    pages.serve(metrics, health(Optional.empty(), Optional.empty()));

    HttpResponse<String> answer =
        client.send(
            request(pages, "/metrics").POST(HttpRequest.BodyPublishers.ofString("x")).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("allow")).contains("GET, HEAD");
  }

  @Test
  void halfRequestsHoldNobodyUp() throws Exception {
    StatusPages pages = pages(LONG);
    pages.serve(metrics, health(Optional.empty(), Optional.empty()));
    for (int i = 0; i < StatusPages.CONNECTIONS + 10; i++) {
      send(connect(pages), "GET /metrics HTTP/1.1\r\nHost: ");
    }

    assertThat(get(pages, "/health/live").body()).isEqualTo("ok\n");
  }

  @Test
  void halfARequestEndsItsConnection() throws Exception {
    StatusPages pages = pages(1);
    Socket half = connect(pages);
    send(half, "GET /metrics HTTP/1.1\r\n");

    assertThat(half.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void anAnsweredConnectionMayAskAgain() throws Exception {
    StatusPages pages = pages(LONG);
    pages.serve(metrics, health(Optional.empty(), Optional.empty()));
    Socket socket = connect(pages);

    for (int i = 0; i < 3; i++) {
      send(socket, "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(readUntil(socket, "ok\n")).startsWith("HTTP/1.1 200");
    }
  }

  /** Whatever takes longer to answer than to ask. */
  @Test
  void whatIsAskedTogetherIsAnsweredInOrderAndOneAtATime() throws Exception {
    StatusPages pages = pages(LONG);
    RecordingSite site = new RecordingSite();
    pages.serve(metrics, health(Optional.empty(), Optional.empty()), site);
    Socket socket = connect(pages);

    StringBuilder asked = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      asked
          .append("PUT /site/")
          .append(i)
          .append(" HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n123");
    }
    send(socket, asked.toString());

    for (int i = 0; i < 20; i++) {
      assertThat(readUntil(socket, "end\n")).endsWith("\r\n\r\n/site/" + i + " 123 end\n");
    }
    assertThat(site.mostAtOnce).hasValue(1);
  }

  @Test
  void bodiesAreBounded() throws Exception {
    StatusPages pages = pages(LONG);
    pages.serve(metrics, health(Optional.empty(), Optional.empty()), new RecordingSite());

    HttpResponse<String> most = put(pages, StatusPages.MAX_BODY);
    assertThat(most.statusCode()).isEqualTo(200);
    assertThat(most.body()).hasSizeGreaterThan(StatusPages.MAX_BODY);
    HttpResponse<String> more = put(pages, StatusPages.MAX_BODY + 1);
    assertThat(more.statusCode()).isEqualTo(413);
    assertThat(more.body()).isEqualTo("too long\n");

    // One that does not say how long it is ends where it becomes too long.
    Socket chunked = connect(pages);
    send(chunked, "PUT /site/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    send(chunked, "8000\r\n" + "x".repeat(0x8000) + "\r\n8001\r\n" + "x".repeat(0x8001) + "\r\n");
    assertThat(readUntil(chunked, "too long\n")).startsWith("HTTP/1.1 413");
    send(chunked, "0\r\n\r\nPUT /site/next HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n1");
    assertThat(readUntil(chunked, "end\n")).endsWith("/site/next 1 end\n");
    assertThat(get(pages, "/health/live").body()).isEqualTo("ok\n");
  }

  @Test
  void theRefusalOfALongBodyWaitsForItsTurn() throws Exception {
    StatusPages pages = pages(LONG);
    pages.serve(metrics, health(Optional.empty(), Optional.empty()), new RecordingSite());
    Socket socket = connect(pages);
    int much = StatusPages.MAX_BODY + 1;

    send(
        socket,
        "PUT /site/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n1"
            + "PUT /site/2 HTTP/1.1\r\nHost: x\r\nContent-Length: "
            + much
            + "\r\n\r\n"
            + "2".repeat(much)
            + "PUT /site/3 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n3");

    assertThat(readUntil(socket, "end\n")).startsWith("HTTP/1.1 200").endsWith("/site/1 1 end\n");
    assertThat(readUntil(socket, "too long\n")).startsWith("HTTP/1.1 413");
    assertThat(readUntil(socket, "end\n")).startsWith("HTTP/1.1 200").endsWith("/site/3 3 end\n");
  }

  private HttpResponse<String> put(StatusPages pages, int bytes) throws Exception {
    return client.send(
        request(pages, "/site/x")
            .PUT(HttpRequest.BodyPublishers.ofString("x".repeat(bytes)))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Says what it was asked, later and on a thread of its own. */
  private static final class RecordingSite implements Site {
    final AtomicInteger now = new AtomicInteger();
    final AtomicInteger mostAtOnce = new AtomicInteger();

    @Override
    public boolean owns(String path) {
      return path.startsWith("/site/");
    }

    @Override
    public CompletionStage<Answer> answer(Request request) {
      mostAtOnce.accumulateAndGet(now.incrementAndGet(), Math::max);
      String body = new String(request.body(), StandardCharsets.UTF_8);
      return CompletableFuture.supplyAsync(
          () -> {
            now.decrementAndGet();
            return Answer.text(200, "text/plain", request.path() + " " + body + " end\n");
          });
    }
  }

  @Test
  void junkAndEndlessHeadersAreAnsweredAndCut() throws Exception {
    StatusPages pages = pages(LONG);
    Socket junk = connect(pages);
    send(junk, "\u0001\u0002 nothing\r\n\r\n");
    Socket endless = connect(pages);
    send(endless, "GET / HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");

    assertThat(rest(junk)).startsWith("HTTP/1.1 400");
    assertThat(rest(endless)).startsWith("HTTP/1.1 400");
  }

  @Test
  void anIllPageSaysSoAndTheNextIsServed() throws Exception {
    StatusPages pages = pages(LONG);
    pages.serve(
        metrics,
        new Health() {
          @Override
          public Optional<String> notLive() {
            throw new IllegalStateException("a bug");
          }

          @Override
          public Optional<String> notReady() {
            return Optional.empty();
          }
        });

    assertThat(get(pages, "/health/live").statusCode()).isEqualTo(500);
    assertThat(get(pages, "/health/ready").statusCode()).isEqualTo(200);
  }

  @Test
  void closingWaitsForNobody() throws Exception {
    StatusPages pages = StatusPages.bind(anyPort(), "x.port");
    CountDownLatch asked = new CountDownLatch(1);
    pages.serve(
        metrics,
        new Health() {
          @Override
          public Optional<String> notLive() {
            asked.countDown();
            return Optional.empty();
          }

          @Override
          public Optional<String> notReady() {
            return Optional.empty();
          }
        });
    Socket socket = connect(pages);
    send(socket, "GET /health/live HTTP/1.1\r\n\r\n");
    asked.await();

    pages.close();
    assertThat(rest(socket))
        .satisfiesAnyOf(
            answer -> assertThat(answer).isEmpty(), answer -> assertThat(answer).endsWith("ok\n"));
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), pages.port()).close())
        .isInstanceOf(IOException.class);
  }

  @Test
  void aTakenPortIsNamedWithItsSetting() {
    StatusPages first = pages(LONG);

    assertThatThrownBy(
            () ->
                StatusPages.bind(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), first.port()),
                    "x.port"))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ADDRESS_IN_USE))
        .hasMessageContaining("x.port")
        .hasMessageContaining("in use");
  }

  private StatusPages pages(int requestSeconds) {
    StatusPages pages = StatusPages.bind(anyPort(), "x.port", requestSeconds);
    opened.add(pages);
    return pages;
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private Socket connect(StatusPages pages) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), pages.port());
    opened.add(socket);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  private static String readUntil(Socket socket, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    while (!read.toString().endsWith(end)) {
      int next = socket.getInputStream().read();
      assertThat(next).isNotNegative();
      read.append((char) next);
    }
    return read.toString();
  }

  private HttpResponse<String> get(StatusPages pages, String path) throws Exception {
    return client.send(request(pages, path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(StatusPages pages, String path) {
    String query = path.replace("[", "%5B").replace("]", "%5D");
    return HttpRequest.newBuilder(URI.create("http://localhost:" + pages.port() + query))
        .timeout(Duration.ofSeconds(20));
  }

  private static Health health(Optional<String> notLive, Optional<String> notReady) {
    return new Health() {
      @Override
      public Optional<String> notLive() {
        return notLive;
      }

      @Override
      public Optional<String> notReady() {
        return notReady;
      }
    };
  }
}
