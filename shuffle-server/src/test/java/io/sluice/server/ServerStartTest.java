package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.lifecycle.StopList;
import io.sluice.common.security.SecurityConfig;
import io.sluice.server.config.ServerConfig;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a start finds wrong it finds before it touches a disk, and nobody is served before. */
class ServerStartTest {
  private final Path disk;

  ServerStartTest(@TempDir Path directory) {
    this.disk = directory.resolve("disk");
  }

  private ServerConfig config(Map<String, String> more) {
    Map<String, String> values = new HashMap<>();
    values.put("server.memory", "1600m");
    values.put("server.port", "0");
    values.put("server.http.port", "0");
    values.put("server.host", "localhost");
    values.put("server.event-loops", "2");
    values.put("server.connections.max", "64");
    values.put("server.data-dirs", disk.toString());
    values.putAll(more);
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION)).values("test", values).read());
  }

  private static void assertRefused(ThrowingCallable start, ErrorCode code, String why) {
    assertThatThrownBy(start)
        .hasMessageContaining(why)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void leavesNoTraceOnItsDisksIfItCannotHaveItsPorts() throws IOException {
    try (ServerSocket taken = new ServerSocket(0)) {
      for (String setting : List.of("server.port", "server.http.port", "server.grpc.port")) {
        ServerConfig config = config(Map.of(setting, "" + taken.getLocalPort()));
        assertRefused(() -> ShuffleServer.start(config), ErrorCode.ADDRESS_IN_USE, setting + ": ");
        assertThat(disk).as(setting).doesNotExist();
      }
    }
  }

  @Test
  void leavesNoTraceOnItsDisksIfItsSumsDoNotAddUp() {
    ServerConfig config = config(Map.of("server.connections.max", "100000"));

    assertRefused(
        () -> ShuffleServer.start(config),
        ErrorCode.INVALID_CONFIGURATION,
        "more than half of the arena");
    assertThat(disk).doesNotExist();
  }

  @Test
  void leavesNoTraceOnItsDisksIfAModuleIsMissing() {
    ServerConfig config = config(Map.of("server.hdfs.root", "hdfs://localhost:1/sluice"));

    assertRefused(
        () -> ShuffleServer.start(config), ErrorCode.INVALID_CONFIGURATION, "sluice-tier-hdfs");
    assertThat(disk).doesNotExist();
  }

  @Test
  void turnsAwayWhoConnectsBeforeItIsReady() throws Exception {
    ServerConfig config = config(Map.of("server.grpc.port", "0"));
    try (StopList started = new StopList()) {
      HeldPorts ports = HeldPorts.take(config, SecurityConfig.off(), started);
      int grpc = ports.data().grpcPort().orElseThrow();

      assertThatThrownBy(() -> new SocketClient(ports.data().port()))
          .isInstanceOf(SluiceException.class);
      assertThatThrownBy(() -> new SocketClient(Transport.GRPC, grpc))
          .isInstanceOf(SluiceException.class);
      assertThat(status(ports.http().port(), "live")).isEqualTo(200);
      assertThat(status(ports.http().port(), "ready")).isEqualTo(503);
    }
  }

  private static int status(int port, String page) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/health/" + page))
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void whatIsHeldFirstMayBeStoppedFirst() {
    StringBuilder stopped = new StringBuilder();
    StopList started = new StopList();
    AutoCloseable port = started.add("port", () -> stopped.append("port "));
    started.add("store", () -> stopped.append("store "));
    started.stopFirst(port);
    started.add("session", () -> stopped.append("session "));
    started.close();

    assertThat(stopped).hasToString("session port store ");
    assertThatThrownBy(() -> started.stopFirst(port)).isInstanceOf(IllegalArgumentException.class);
  }
}
