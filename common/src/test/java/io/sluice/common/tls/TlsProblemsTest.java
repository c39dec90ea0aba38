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
    return problems(files(certificate, key, trust));
  }

  private static List<String> problems(TlsFiles files) {
    return TlsProblems.of(files, "own.certificate", "own.key", "trust");
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
    assertThat(problems(new TlsFiles(Optional.empty(), Optional.empty(), Optional.empty())))
        .isEmpty();
  }

  @Test
  void eachFileIsToldWhateverTheOthersAre() throws IOException {
    Path text = Files.writeString(dir.resolve("text"), "no PEM");
    assertThat(problems(dir.resolve("gone"), text, dir))
        .satisfiesExactly(
            line ->
                assertThat(line).startsWith("own.certificate cannot").contains("gone", "no such"),
            line -> assertThat(line).startsWith("own.key = ").contains("text", "BEGIN PRIVATE"),
            line -> assertThat(line).startsWith("trust cannot").contains("a directory"));
    assertThat(problems(text, dir.resolve("gone"), text))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("own.certificate = ").contains("no certificate"),
            line -> assertThat(line).startsWith("own.key cannot").contains("gone", "no such"),
            line -> assertThat(line).startsWith("trust = ").contains("text", "no certificate"));
  }

  @Test
  void aKeyOfAnotherCertificateIsTold() {
    assertThat(problems(given("first.pem"), given("second.key"), given("authority.pem")))
        .singleElement()
        .asString()
        .contains("own.certificate = ", "first.pem, own.key = ", "second.key", "not the one of");
  }

  @Test
  void halfAPairIsReadAsFarAsItIsThere() {
    TlsFiles noKey = new TlsFiles(Optional.of(dir), Optional.empty(), Optional.empty());
    assertThat(problems(noKey)).singleElement().asString().contains("a directory");
    TlsFiles noCertificate =
        new TlsFiles(Optional.empty(), Optional.of(given("traditional.key")), Optional.empty());
    assertThat(problems(noCertificate)).singleElement().asString().contains("pkcs8");
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
                files(given("first.pem"), given("first.key"), given("authority.pem")),
                "own.certificate",
                "own.key",
                "trust",
                in1970))
        .singleElement()
        .asString()
        .contains("first.pem: ", "NotBefore");
  }
}
