package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.SecurityConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a start finds wrong it finds before it touches a directory or waits for anybody. */
class CoordinatorStartTest {
  private final Path data;

  CoordinatorStartTest(@TempDir Path directory) {
    this.data = directory.resolve("data");
  }

  @Test
  @Timeout(60)
  void onePortThatIsTakenIsToldBeforeZooKeeperIsStartedOrWaitedFor() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (String setting : List.of("coordinator.port", "coordinator.http.port")) {
        Map<String, String> port = Map.of(setting, "" + taken.getLocalPort());
        assertInUse(TestCoordinators.config(data, port), setting);
        assertThat(data).as(setting).doesNotExist();

        CoordinatorConfig waiting =
            TestCoordinators.config(
                data,
                Map.of(
                    setting,
                    "" + taken.getLocalPort(),
                    "coordinator.zookeeper.connect",
                    "127.0.0.1:1",
                    "coordinator.zookeeper.start-timeout",
                    "1h"));
        assertInUse(waiting, setting);
      }
    }
  }

  private static void assertInUse(CoordinatorConfig config, String setting) {
    assertThatThrownBy(() -> Coordinator.start(config))
        .hasMessageContaining(setting + ": ")
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ADDRESS_IN_USE));
  }

  /** So a host cannot hold all places by connecting alone; 10 s. */
  @Test
  @Timeout(60)
  void whoOnlyConnectsToTheGrpcPortIsClosed() throws IOException {
    try (Coordinator coordinator = Coordinator.start(TestCoordinators.config(data, Map.of()));
        Socket silent =
            new Socket(InetAddress.getLoopbackAddress(), coordinator.address().port())) {
      silent.setSoTimeout(40_000);
      assertThat(silent.getInputStream().readAllBytes())
          .as("the server's own settings")
          .isNotEmpty();
    }
  }

  @Test
  void whatSettingsAndSecurityContradictInEachOtherIsToldWithAllTheRest() {
    ConfigReader reader =
        new ConfigReader(List.of(CoordinatorConfig.SECTION, SecurityConfig.SECTION));
    CoordinatorChecks.ALL.forEach(reader::check);
    reader.values(
        "test",
        Map.of(
            "coordinator.http.read-token-file", "/nowhere/token",
            "coordinator.http.admin-certificates", "CN=ops",
            "coordinator.port", "-1",
            "coordinator.prt", "1"));

    assertThatThrownBy(reader::read)
        .hasMessageContaining("6 problems")
        .hasMessageContaining("coordinator.prt")
        .hasMessageContaining("coordinator.port = -1")
        .hasMessageContaining("tokens for REST keep nobody out")
        .hasMessageContaining("coordinator.http.admin-certificates keep nobody out")
        .hasMessageContaining("coordinator.http.admin-certificates needs coordinator.http.tls")
        .hasMessageContaining("learns tokens: set coordinator.http.tls");

    assertThatThrownBy(
            reader.values(
                    "test",
                    Map.of(
                        "security.enabled", "true",
                        "coordinator.http.tls", "true",
                        "coordinator.port", "1"))
                ::read)
        .hasMessageContaining("security.enabled needs security.cluster-key-file")
        .hasMessageContaining("learns secrets: set security.tls.certificate-file")
        .hasMessageContaining("or coordinator.bind-address to a loopback address")
        .hasMessageContaining("coordinator.http.tls needs security.tls.certificate-file");
  }
}
