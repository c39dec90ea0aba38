package io.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pages over TLS, and what they say of it. */
@Timeout(60)
class EncryptedPagesTest {
  private static final Path GIVEN = Path.of("../common/src/test/resources/tls");

  private final Tls tls =
      new Tls(
          TlsMaterial.open(
              new TlsFiles(
                  Optional.of(GIVEN.resolve("first.pem")),
                  Optional.of(GIVEN.resolve("first.key")),
                  Optional.of(GIVEN.resolve("authority.pem")))),
          false);
  private final PrometheusRegistry metrics = new PrometheusRegistry();
  private final StatusPages pages =
      StatusPages.bind(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "x.port", Optional.of(tls));

  @AfterEach
  void close() {
    pages.close();
  }

  @Test
  void whoAsksInTheClearIsCountedAndWhoOnlyConnectsIsNot() throws Exception {
    CertificateMetrics.register(metrics, "x", tls);
    pages.serve(metrics, new WellHealth());
    assertThat(metrics())
        .contains("x_tls_handshakes_refused_total 0.0")
        .containsPattern("x_certificate_expiry_timestamp_seconds [1-9]");

    new Socket(InetAddress.getLoopbackAddress(), pages.port()).close();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), pages.port())) {
      socket
          .getOutputStream()
          .write("GET /metrics HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
      assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(10); // An alert.
    }

    // By the same event loop, behind the end of the one before.
    assertThat(metrics()).contains("x_tls_handshakes_refused_total 1.0");
  }

  private String metrics() throws IOException, InterruptedException, GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {tls.material().trustManager()}, null);
    HttpResponse<String> answer =
        HttpClient.newBuilder()
            .sslContext(context)
            .connectTimeout(Duration.ofSeconds(10))
            .build()
            .send(
                HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + pages.port() + "/metrics"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }

  private static final class WellHealth implements Health {
    @Override
    public Optional<String> notLive() {
      return Optional.empty();
    }

    @Override
    public Optional<String> notReady() {
      return Optional.empty();
    }
  }
}
