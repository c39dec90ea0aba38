package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.Secret;
import io.sluice.common.security.SecurityConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused before anything is started, because it would let in whom it is to keep out. */
class RestDoorTest {
  private static final Path CERTIFICATES = Path.of("../common/src/test/resources/tls");

  private final Path directory;
  private final Map<String, String> http = new HashMap<>();
  private final Map<String, String> security = new HashMap<>();

  RestDoorTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @BeforeEach
  void makeTokens() throws IOException {
    Files.writeString(directory.resolve("key"), Secret.random());
    Files.writeString(directory.resolve("token"), Secret.random());
  }

  private void withToken() {
    http.put("coordinator.http.read-token-file", directory.resolve("token").toString());
  }

  private void withSecurity() {
    security.put("security.enabled", "true");
    security.put("security.cluster-key-file", directory.resolve("key").toString());
  }

  private void withCertificate() {
    security.put("security.tls.certificate-file", CERTIFICATES.resolve("first.pem").toString());
    security.put("security.tls.key-file", CERTIFICATES.resolve("first.key").toString());
    security.put("security.tls.trust-file", CERTIFICATES.resolve("authority.pem").toString());
  }

  private RestDoor door() {
    return RestDoor.of(
        TestCoordinators.config(directory.resolve("data"), http),
        SecurityConfig.from(
            new ConfigReader(List.of(SecurityConfig.SECTION)).values("test", security).read()));
  }

  private static void assertRefused(ThrowingCallable door, String... named) {
    assertThatThrownBy(door)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .message()
        .contains(named);
  }

  @Test
  void isOpenToEverybodyOrToNobodyIfNothingIsSaid() {
    assertThat(door().access().isOn()).isFalse();
    assertThat(door().tls()).isEmpty();
    withSecurity();
    assertThat(door().access().isOn()).isTrue();
  }

  @Test
  void tokensBesideAnOpenGrpcAreRefused() {
    withToken();
    assertRefused(this::door, "security.enabled");
    withSecurity();
    assertThat(door().access().isOn()).isTrue();
  }

  @Test
  void namesOfAdminsBesideAnOpenGrpcAreRefused() {
    http.put("coordinator.http.admin-certificates", "CN=ops");
    assertRefused(this::door, "coordinator.http.admin-certificates", "security.enabled");
    withSecurity();
    assertThat(door().access().isOn()).isTrue();
  }

  @Test
  void tokensDoNotCrossANetworkInTheClearUnlessThatIsWanted() {
    withToken();
    withSecurity();
    http.put("coordinator.bind-address", "0.0.0.0");
    assertRefused(this::door, "coordinator.http.tls", "security.trusted-network");
    security.put("security.trusted-network", "true");
    assertThat(door().access().isOn()).isTrue();
    security.remove("security.trusted-network");
    withCertificate();
    http.put("coordinator.http.tls", "true");
    assertThat(door().tls()).isPresent();
  }

  @Test
  void tlsNeedsACertificate() {
    http.put("coordinator.http.tls", "true");
    assertRefused(this::door, "coordinator.http.tls", "security.tls.certificate-file");
    withCertificate();
    assertThat(door().tls()).isPresent();
  }

  @Test
  void aFileWithoutATokenIsNamed() throws IOException {
    withToken();
    withSecurity();
    Files.writeString(directory.resolve("token"), "two words, or three");
    assertRefused(this::door, directory.resolve("token").toString(), "openssl rand");
    Files.delete(directory.resolve("token"));
    assertRefused(
        this::door, directory.resolve("token").toString(), "token cannot be read", "no such file");
  }
}
