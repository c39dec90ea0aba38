package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.common.file.SmallFile;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsProblems;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * How coordinators prove to ZooKeeper who they are, and how the way there is encrypted. Secrets are
 * in files; what is read is never logged.
 *
 * @param digestFile one line, {@code user:password}: with it every node belongs to that user alone
 * @param trustFile authorities in PEM: with it connections are encrypted
 * @param identityFile a certificate, those that sign it, and its private key in PEM, for ensembles
 *     that want one
 */
public record ZooKeeperAccess(
    Optional<Path> digestFile, Optional<Path> trustFile, Optional<Path> identityFile) {
  /** Anybody may do everything, in the clear. */
  public static final ZooKeeperAccess OPEN =
      new ZooKeeperAccess(Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * What to log in with by ZooKeeper's scheme "digest".
   *
   * @throws SluiceException INVALID_CONFIGURATION naming the file, if it is not as it should be
   */
  Optional<byte[]> digest() {
    return digestFile.map(ZooKeeperAccess::login);
  }

  /**
   * Tells of each file what would keep it from being used.
   *
   * @param trustName of the setting that names the file, as its user knows it
   * @param identityName likewise
   */
  public void check(String trustName, String identityName, Consumer<String> problems) {
    attempt(this::digest, problems);
    TlsProblems.of(new TlsFiles(Optional.empty(), Optional.empty(), trustFile), "", "", trustName)
        .forEach(problems);
    identityFile
        .flatMap(SmallFile::problem)
        .ifPresent(why -> problems.accept(identityName + " cannot be read: " + why));
  }

  private static void attempt(Runnable reading, Consumer<String> problems) {
    try {
      reading.run();
    } catch (SluiceException e) {
      problems.accept(e.detail());
    }
  }

  private static byte[] login(Path file) {
    String login;
    try {
      login = SmallFile.text(file).strip();
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "ZooKeeper: the login cannot be read: " + IoReason.of(e),
          e);
    }
    int colon = login.indexOf(':');
    if (colon < 1 || colon == login.length() - 1 || login.lines().count() != 1) {
      throw unusable(file, "is to have one line, user:password", null);
    }
    return login.getBytes(StandardCharsets.UTF_8);
  }

  boolean isEncrypted() {
    return trustFile.isPresent();
  }

  /**
   * Settings of ZooKeeper's client.
   *
   * @throws SluiceException INVALID_CONFIGURATION naming a file that cannot be read
   */
  ZKClientConfig clientConfig() {
    ZKClientConfig config = new ZKClientConfig();
    trustFile.ifPresent(
        trust -> {
          config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
          config.setProperty(
              ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
              "org.apache.zookeeper.ClientCnxnSocketNetty");
          config.setProperty("zookeeper.ssl.trustStore.location", absolute(trust));
          config.setProperty("zookeeper.ssl.trustStore.type", "PEM");
          identityFile.ifPresent(
              identity -> {
                config.setProperty("zookeeper.ssl.keyStore.location", absolute(identity));
                config.setProperty("zookeeper.ssl.keyStore.type", "PEM");
              });
        });
    return config;
  }

  /** ZooKeeper's client reads it itself, and says little of what it cannot read. */
  private static String absolute(Path file) {
    SmallFile.problem(file)
        .ifPresent(
            why -> {
              throw new SluiceException(
                  ErrorCode.INVALID_CONFIGURATION, "ZooKeeper: cannot be read: " + why);
            });
    return file.toAbsolutePath().toString();
  }

  private static SluiceException unusable(Path file, String why, @Nullable Exception cause) {
    return new SluiceException(
        ErrorCode.INVALID_CONFIGURATION, "ZooKeeper: " + file + " " + why, cause);
  }
}
