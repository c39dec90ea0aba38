package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.security.SecurityFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is wrong with settings and the files that they name is said in one list. */
class ProblemsAtOnceTest {
  private final Map<String, String> values = new TreeMap<>();

  /** What is wrong, a line each. */
  private List<String> problems() {
    ConfigReader reader =
        new ConfigReader(List.of(CoordinatorConfig.SECTION, SecurityConfig.SECTION));
    SecurityFiles.CHECKS.forEach(reader::check);
    CoordinatorChecks.ALL.forEach(reader::check);
    CoordinatorChecks.FILES.forEach(reader::check);
    CoordinatorChecks.PLACES.forEach(reader::check);
    SluiceException refusal =
        catchThrowableOfType(SluiceException.class, () -> reader.values("test", values).read());
    return refusal == null ? List.of() : refusal.detail().lines().skip(1).toList();
  }

  @Test
  void filesThatAreOfNoUseAreToldTogether(@TempDir Path directory) throws Exception {
    Path tooShort = Files.writeString(directory.resolve("short"), "too short");
    values.put("security.enabled", "true");
    values.put("security.cluster-key-file", tooShort.toString());
    values.put("security.tls.certificate-file", directory.resolve("no.pem").toString());
    values.put("security.tls.key-file", directory.resolve("no.key").toString());
    values.put("security.tls.trust-file", tooShort.toString());
    values.put("coordinator.http.tls", "true");
    values.put("coordinator.http.read-token-file", tooShort.toString());
    values.put("coordinator.http.admin-token-file", directory.resolve("gone").toString());
    values.put("coordinator.zookeeper.connect", "z1:2181");
    values.put("coordinator.zookeeper.digest-file", tooShort.toString());
    values.put("coordinator.zookeeper.tls.trust-file", directory.resolve("gone.pem").toString());
    values.put("coordinator.zookeeper.tls.identity-file", directory.toString());

    assertThat(problems())
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).contains("short", "32"),
            line -> assertThat(line).contains("security.tls.certificate-file", "no.pem"),
            line -> assertThat(line).contains("security.tls.key-file", "no.key"),
            line -> assertThat(line).contains("security.tls.trust-file = ", "short"),
            line -> assertThat(line).contains("short", "token"),
            line -> assertThat(line).contains("gone", "token"),
            line -> assertThat(line).contains("ZooKeeper", "short", "user:password"),
            line -> assertThat(line).contains("zookeeper.tls.trust-file cannot", "gone.pem"),
            line -> assertThat(line).contains("zookeeper.tls.identity-file cannot", "a directory"));
  }

  @Test
  void settingsThatProtectNothingAreToldTogether() {
    values.put("security.enabled", "false");
    values.put("coordinator.http.tls", "true");
    values.put("coordinator.http.admin-certificates", "CN=ops;nonsense");
    values.put("coordinator.host", "a b/c");
    assertThat(problems())
        .satisfiesExactlyInAnyOrder(
            line ->
                assertThat(line)
                    .contains("coordinator.http.admin-certificates", "security.enabled"),
            line ->
                assertThat(line)
                    .contains(
                        "coordinator.http.admin-certificates", "security.tls.client-certificates"),
            line -> assertThat(line).contains("coordinator.http.admin-certificates", "nonsense"),
            line -> assertThat(line).contains("coordinator.host", "a b/c"),
            line ->
                assertThat(line).contains("coordinator.http.tls", "security.tls.certificate-file"));
  }

  @Test
  void whatIsWrongWithACertificateDoesNotHideWhatIsWrongWithAuthorities(@TempDir Path directory)
      throws Exception {
    Path garbage = Files.writeString(directory.resolve("garbage.pem"), "no certificate");
    values.put("security.tls.certificate-file", garbage.toString());
    values.put("security.tls.key-file", garbage.toString());
    values.put("security.tls.trust-file", directory.resolve("none.pem").toString());
    assertThat(problems())
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).contains("garbage.pem", "no certificate"),
            line -> assertThat(line).contains("garbage.pem", "no 'BEGIN PRIVATE KEY'"),
            line -> assertThat(line).contains("none.pem"));
  }

  @Test
  void readersWhoWouldBeAdminsAreRefused(@TempDir Path directory) throws Exception {
    Path key = Files.writeString(directory.resolve("key"), "k".repeat(40));
    Path reader = Files.writeString(directory.resolve("reader"), "t".repeat(40));
    Path admin = Files.writeString(directory.resolve("admin"), "t".repeat(40) + "\n");
    values.put("security.enabled", "true");
    values.put("security.cluster-key-file", key.toString());
    values.put("security.trusted-network", "true");
    values.put("coordinator.http.read-token-file", reader.toString());
    values.put("coordinator.http.admin-token-file", admin.toString());
    assertThat(problems())
        .singleElement()
        .satisfies(line -> assertThat(line).contains("reader", "admin", "differ"));
  }

  @Test
  void secretsInTheClearAreToldBesideOtherThings(@TempDir Path directory) throws Exception {
    Path key = Files.writeString(directory.resolve("key"), "k".repeat(40));
    values.put("security.enabled", "true");
    values.put("security.cluster-key-file", key.toString());
    values.put("coordinator.prot", "1");
    assertThat(problems())
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).contains("coordinator.prot"),
            line ->
                assertThat(line)
                    .contains("security.tls.certificate-file", "coordinator.bind-address"));
    values.remove("coordinator.prot");
    values.put("security.trusted-network", "true");
    assertThat(problems()).isEmpty();
  }

  @Test
  void theDirectoryOfAZooKeeperWithinIsLookedAtAndNoOther(@TempDir Path directory)
      throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    values.put("coordinator.data-dir", file.toString());
    assertThat(problems())
        .singleElement()
        .satisfies(line -> assertThat(line).contains("coordinator.data-dir", file.toString()));

    values.put("coordinator.zookeeper.connect", "z1:2181");
    assertThat(problems()).isEmpty();
  }
}
