package io.sluice.coordinator.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.registry.Term;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logging in by SASL (DIGEST-MD5), as docs/coordinator.md says it is set, to a real ZooKeeper that
 * lets nobody in without. What operators give to a coordinator's JVM is set in this one.
 */
class ZooKeeperSaslTest {
  private static final Duration SESSION = Duration.ofSeconds(3);
  private static final String FIPS_MODE = "zookeeper.fips-mode";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private static Path directory;

  @SuppressWarnings("NullAway.Init")
  private static ZooKeeperProcess zooKeeper;

  @BeforeAll
  static void start() throws IOException {
    System.setProperty(FIPS_MODE, "false");
    Path users =
        Files.writeString(
            directory.resolve("server.jaas"),
            "Server {\n  "
                + DigestLoginModule.class.getName()
                + " required user_sluice=\"a secret\" user_another=\"another secret\";\n};\n");
    zooKeeper =
        ZooKeeperProcess.start(
            directory,
            "clientPort",
            List.of("enforce.auth.enabled=true", "enforce.auth.schemes=sasl"),
            List.of(
                "-Djava.security.auth.login.config=" + users,
                "-D" + FIPS_MODE + "=false",
                "-Dzookeeper.authProvider.1="
                    + "org.apache.zookeeper.server.auth.SASLAuthenticationProvider"));
  }

  @AfterAll
  static void stop() {
    System.clearProperty(FIPS_MODE);
    zooKeeper.close();
  }

  @AfterEach
  void logInAsNobody() {
    Configuration.setConfiguration(null);
  }

  private static void logInAs(String user, String password) {
    Configuration.setConfiguration(
        new Configuration() {
          @Override
          public AppConfigurationEntry @Nullable [] getAppConfigurationEntry(String section) {
            return section.equals("Client")
                ? new AppConfigurationEntry[] {
                  new AppConfigurationEntry(
                      DigestLoginModule.class.getName(),
                      LoginModuleControlFlag.REQUIRED,
                      Map.of("username", user, "password", password))
                }
                : null;
          }
        });
  }

  private static Term begin(String root, ZooKeeperAccess access, Duration patience)
      throws Exception {
    try (ZooKeeperEnsemble ensemble =
        ZooKeeperEnsemble.open(
            new ZooKeeperSettings(zooKeeper.connectString(), root, SESSION, access))) {
      ensemble.awaitConnection(patience, "the ensemble", "the login");
      return ensemble.store().beginTerm("here:1").toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  private static long termOf(String root, ZooKeeperAccess access) throws Exception {
    return begin(root, access, Duration.ofSeconds(30)).number();
  }

  private static void assertRefused(String root, ZooKeeperAccess access, String why) {
    assertThatThrownBy(() -> begin(root, access, Duration.ofSeconds(30)))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining(why);
  }

  @Test
  void whoLogsInByTheJvmsLoginConfigurationIsLetIn() throws Exception {
    String root = "/let-in";
    logInAs("sluice", "a secret");
    assertThat(termOf(root, ZooKeeperAccess.OPEN)).isEqualTo(1);

    logInAs("sluice", "a guess");
    assertRefused(root, ZooKeeperAccess.OPEN, "login configuration");
    logInAsNobody();
    assertRefused(root, ZooKeeperAccess.OPEN, "login configuration");

    logInAs("sluice", "a secret");
    assertThat(termOf(root, ZooKeeperAccess.OPEN)).as("nobody else began one").isEqualTo(2);
  }

  /** As with Kerberos, where each host's coordinator may be another user. */
  @Test
  void nodesBelongToWhoeverHasTheDigestAsWhomeverHeLogsIn() throws Exception {
    String root = "/owned";
    ZooKeeperAccess digest =
        new ZooKeeperAccess(
            Optional.of(Files.writeString(directory.resolve("digest"), "cluster:its secret")),
            Optional.empty(),
            Optional.empty());
    logInAs("sluice", "a secret");
    assertThat(termOf(root, digest)).isEqualTo(1);

    logInAs("another", "another secret");
    assertRefused(root, ZooKeeperAccess.OPEN, "belongs to another user");
    assertThat(termOf(root, digest)).isEqualTo(2);
  }
}
