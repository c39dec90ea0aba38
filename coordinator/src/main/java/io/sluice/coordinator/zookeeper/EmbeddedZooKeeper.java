package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.DirectoryLock;
import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/**
 * A single ZooKeeper inside this process, for clusters of one coordinator. It listens on loopback
 * only, on any free port. The data directory is locked, because ZooKeeper itself would let two
 * processes write into it.
 */
public final class EmbeddedZooKeeper implements AutoCloseable {
  private static final long START_MILLIS = TimeUnit.SECONDS.toMillis(30);
  private static final String LOOPBACK = "127.0.0.1";

  private final ZooKeeperServerEmbedded server;
  private final DirectoryLock lock;

  private EmbeddedZooKeeper(ZooKeeperServerEmbedded server, DirectoryLock lock) {
    this.server = server;
    this.lock = lock;
  }

  /**
   * Starts, and waits until it serves.
   *
   * @param directory for its data, made if it is not there
   * @throws SluiceException INVALID_CONFIGURATION if the directory cannot be used; INTERNAL_ERROR
   *     if ZooKeeper does not start
   */
  public static EmbeddedZooKeeper start(Path directory) {
    DirectoryLock lock = lock(directory);
    try {
      removeOldConfigurations(directory);
      ZooKeeperServerEmbedded server =
          ZooKeeperServerEmbedded.builder()
              .baseDir(directory)
              .configuration(configuration())
              .exitHandler(ExitHandler.LOG_ONLY)
              .build();
      return new EmbeddedZooKeeper(serving(server), lock);
    } catch (Exception e) {
      lock.close();
      String reason = e instanceof IOException io ? IoReason.of(io) : e.toString();
      throw new SluiceException(
          ErrorCode.INTERNAL_ERROR, "ZooKeeper does not start in " + directory + ": " + reason, e);
    }
  }

  private static ZooKeeperServerEmbedded serving(ZooKeeperServerEmbedded server) throws Exception {
    boolean serves = false;
    try {
      server.start(START_MILLIS);
      serves = true;
      return server;
    } finally {
      if (!serves) {
        server.close();
      }
    }
  }

  private static Properties configuration() {
    Properties properties = new Properties();
    properties.setProperty("clientPort", "0");
    properties.setProperty("clientPortAddress", LOOPBACK);
    properties.setProperty("admin.enableServer", "false");
    properties.setProperty("tickTime", "1000");
    properties.setProperty("maxSessionTimeout", "120000");
    // Only this process connects.
    properties.setProperty("maxCnxns", "16");
    // Kilobytes: the default of 64 MB per log file is for ensembles with real traffic.
    properties.setProperty("preAllocSize", "1024");
    properties.setProperty("autopurge.snapRetainCount", "3");
    properties.setProperty("autopurge.purgeInterval", "1");
    return properties;
  }

  /** ZooKeeper writes a new one at each start and never removes it. */
  private static void removeOldConfigurations(Path directory) throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, "zookeeper.configuration*.properties")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }

  private static DirectoryLock lock(Path directory) {
    try {
      // Follows links, which creating does not for the last one.
      if (!Files.isDirectory(directory)) {
        Files.createDirectories(directory);
      }
      return DirectoryLock.acquire(directory, directory + " (coordinator.data-dir)");
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "cannot use " + directory + " (coordinator.data-dir): " + IoReason.of(e),
          e);
    }
  }

  /** host:port for clients in this process. */
  public String connectString() {
    return LOOPBACK + ":" + server.getClientPort();
  }

  @Override
  public void close() {
    try {
      server.close();
    } finally {
      lock.close();
    }
  }
}
