package io.sluice.common.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsProblemsTest {
  private static final Path GIVEN = Path.of("src/test/resources/tls");

  private final Path dir;

  TlsProblemsTest(@TempDir Path dir) {
    this.dir = dir;
  }

  private static List<String> problems(Path certificate, Path key, Path trust) {
    return TlsProblems.of(files(certificate, key, trust));
  }

  private static TlsFiles files(Path certificate, Path key, Path trust) {
    return new TlsFiles(Optional.of(certificate), Optional.of(key), Optional.of(trust));
  }

  private static Path given(String name) {
    return GIVEN.resolve(name);
  }

  @Test
  void filesThatCanBeUsedHaveNone() {
    assertThat(problems(given("first.pem"), given("first.key"), given("authority.pem"))).isEmpty();
    assertThat(TlsProblems.of(new TlsFiles(Optional.empty(), Optional.empty(), Optional.empty())))
        .isEmpty();
  }

  @Test
  void eachFileIsToldWhateverTheOthersAre() throws IOException {
    Path text = Files.writeString(dir.resolve("text"), "no PEM");
    assertThat(problems(dir.resolve("gone"), text, dir))
        .satisfiesExactly(
            line -> assertThat(line).contains("TLS", "gone", "no such file"),
            line -> assertThat(line).contains("TLS", "text", "BEGIN PRIVATE KEY"),
            line -> assertThat(line).contains("TLS", dir.toString(), "a directory"));
    assertThat(problems(text, dir.resolve("gone"), text))
        .satisfiesExactly(
            line -> assertThat(line).contains("TLS", "text", "no certificate"),
            line -> assertThat(line).contains("TLS", "gone", "no such file"),
            line -> assertThat(line).contains("TLS", "text", "no certificate"));
  }

  @Test
  void aKeyOfAnotherCertificateIsTold() {
    assertThat(problems(given("first.pem"), given("second.key"), given("authority.pem")))
        .singleElement()
        .asString()
        .contains("first.pem with key", "second.key", "not the one of the certificate");
  }

  @Test
  void halfAPairIsReadAsFarAsItIsThere() {
    TlsFiles noKey = new TlsFiles(Optional.of(dir), Optional.empty(), Optional.empty());
    assertThat(TlsProblems.of(noKey)).singleElement().asString().contains("a directory");
    TlsFiles noCertificate =
        new TlsFiles(Optional.empty(), Optional.of(given("traditional.key")), Optional.empty());
    assertThat(TlsProblems.of(noCertificate)).singleElement().asString().contains("pkcs8");
  }

  @Test
  void aCertificateThatIsNotValidNowIsTold() {
    Clock in1970 =
        new Clock() {
          @Override
          public long nanoTime() {
            return 0;
          }

          @Override
          public long wallTimeMillis() {
            return 0;
          }
        };
    assertThat(
            TlsProblems.of(
                files(given("first.pem"), given("first.key"), given("authority.pem")), in1970))
        .singleElement()
        .asString()
        .contains("first.pem: ", "NotBefore");
  }
}
