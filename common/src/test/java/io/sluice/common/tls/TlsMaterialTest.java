package io.sluice.common.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.X509ExtendedKeyManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsMaterialTest {
  private static final Path GIVEN = Path.of("src/test/resources/tls");

  private final Path dir;

  TlsMaterialTest(@TempDir Path dir) {
    this.dir = dir;
  }

  private void put(String identity) throws IOException {
    copy(identity + ".pem", "own.pem");
    copy(identity + ".key", "own.key");
  }

  private void copy(String from, String to) throws IOException {
    Files.copy(GIVEN.resolve(from), dir.resolve(to), StandardCopyOption.REPLACE_EXISTING);
  }

  private TlsMaterial open(String identity) throws IOException {
    return open(identity, Clock.system());
  }

  private TlsMaterial open(String identity, Clock clock) throws IOException {
    put(identity);
    copy("authority.pem", "trust.pem");
    return TlsMaterial.open(
        new TlsFiles(
            Optional.of(dir.resolve("own.pem")),
            Optional.of(dir.resolve("own.key")),
            Optional.of(dir.resolve("trust.pem"))),
        clock);
  }

  /** A wall clock that the test sets. */
  private static final class SetClock implements Clock {
    private long millis = Clock.system().wallTimeMillis();

    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public long wallTimeMillis() {
      return millis;
    }
  }

  private static String shown(TlsMaterial material) {
    X509ExtendedKeyManager keys = material.keyManager().orElseThrow();
    String name = keys.chooseEngineServerAlias("EC", null, null);
    X509Certificate own = Objects.requireNonNull(keys.getCertificateChain(name))[0];
    assertThat(keys.getPrivateKey(name)).isNotNull();
    return own.getSubjectX500Principal().getName();
  }

  @Test
  void showsWhatTheFilesHold() throws IOException {
    TlsMaterial material = open("first");
    assertThat(shown(material)).isEqualTo("CN=first");
    assertThat(material.keyManager().orElseThrow().chooseEngineServerAlias("RSA", null, null))
        .isNull();
  }

  @Test
  void aNewCertificateIsTakenUpOnce() throws IOException {
    TlsMaterial material = open("first");
    material.reload();
    assertThat(material.reloads()).isZero();
    put("second");
    material.reload();
    material.reload();
    assertThat(shown(material)).isEqualTo("CN=second");
    assertThat(material.reloads()).isEqualTo(1);
    assertThat(material.failures()).isZero();
  }

  @Test
  void aHandshakeThatHasBegunGoesOnWithWhatItChose() throws IOException {
    TlsMaterial material = open("first");
    X509ExtendedKeyManager keys = material.keyManager().orElseThrow();
    String chosen = keys.chooseEngineServerAlias("EC", null, null);
    put("second");
    material.reload();
    assertThat(
            Objects.requireNonNull(keys.getCertificateChain(chosen))[0].getSubjectX500Principal())
        .hasToString("CN=first");
    assertThat(keys.getPrivateKey(chosen)).isNotNull();
  }

  @Test
  void whatCannotBeUsedChangesNothingAndIsReportedOnce() throws IOException {
    TlsMaterial material = open("first");
    copy("second.pem", "own.pem"); // the key is still the first one's
    material.reload();
    material.reload();
    assertThat(shown(material)).isEqualTo("CN=first");
    assertThat(material.failures()).isEqualTo(1);

    copy("second.key", "own.key");
    material.reload();
    assertThat(shown(material)).isEqualTo("CN=second");

    Files.delete(dir.resolve("own.key"));
    material.reload();
    assertThat(shown(material)).isEqualTo("CN=second");
    assertThat(material.failures()).isEqualTo(2);
  }

  @Test
  void aCertificateThatIsNotValidYetIsTakenUpWhenItIs() throws IOException {
    SetClock clock = new SetClock();
    long today = clock.millis;
    TlsMaterial material = open("first", clock);
    clock.millis = 0;
    put("second");
    material.reload();
    material.reload();
    assertThat(shown(material)).isEqualTo("CN=first");
    assertThat(material.failures()).as("reported once").isEqualTo(1);

    clock.millis = today;
    material.reload();
    material.reload();
    assertThat(shown(material)).isEqualTo("CN=second");
    assertThat(material.reloads()).isEqualTo(1);
  }

  @Test
  void whatIsOfNoUseIsReportedAgainIfItComesAgain() throws IOException {
    TlsMaterial material = open("first");
    for (int times = 1; times <= 2; times++) {
      copy("second.pem", "own.pem");
      material.reload();
      assertThat(material.failures()).isEqualTo(times);
      copy("first.pem", "own.pem");
      material.reload();
    }
  }

  @Test
  void otherAuthoritiesAreBelievedWhenTheFileSaysSo() throws Exception {
    TlsMaterial material = open("first");
    X509Certificate[] foreign =
        PemText.certificates(Files.readAllBytes(GIVEN.resolve("foreign.pem")))
            .toArray(new X509Certificate[0]);
    assertThatThrownBy(() -> material.trustManager().checkServerTrusted(foreign, "ECDHE_ECDSA"))
        .isInstanceOf(CertificateException.class);
    copy("stranger.pem", "trust.pem");
    material.reload();
    material.trustManager().checkServerTrusted(foreign, "ECDHE_ECDSA");
  }

  private static SluiceException refused(Path certificate, Path key, Path trust) {
    return catchThrowableOfType(
        SluiceException.class,
        () ->
            TlsMaterial.open(
                new TlsFiles(Optional.of(certificate), Optional.of(key), Optional.of(trust))));
  }

  @Test
  void wrongFilesAreRefusedWithTheReason() throws IOException {
    Path first = GIVEN.resolve("first.pem");
    Path authority = GIVEN.resolve("authority.pem");
    assertThat(refused(first, GIVEN.resolve("second.key"), authority))
        .hasMessageContaining("first.pem")
        .hasMessageContaining("not the one of the certificate");
    assertThat(refused(first, GIVEN.resolve("traditional.key"), authority))
        .hasMessageContaining("openssl pkcs8");
    assertThat(refused(first, GIVEN.resolve("first.key"), GIVEN.resolve("first.key")))
        .hasMessageContaining("first.key");
    SluiceException absent = refused(GIVEN.resolve("none"), GIVEN.resolve("first.key"), authority);
    assertThat(absent).hasMessageContaining("none");
    assertThat(absent.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    Path garbage = Files.writeString(dir.resolve("garbage"), "-----BEGIN CERTIFICATE-----\nx");
    assertThat(refused(garbage, GIVEN.resolve("first.key"), authority))
        .hasMessageContaining("garbage");
  }
}
