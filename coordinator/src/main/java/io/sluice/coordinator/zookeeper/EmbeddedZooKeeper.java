package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
  private final FileChannel lock;

  private EmbeddedZooKeeper(ZooKeeperServerEmbedded server, FileChannel lock) {
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
    FileChannel lock = lock(directory);
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
      unlock(lock, e);
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

  private static FileChannel lock(Path directory) {
    try {
      Files.createDirectories(directory);
      FileChannel channel =
          FileChannel.open(
              directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (isLocked(channel)) {
        return channel;
      }
      channel.close();
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "cannot use " + directory + " (coordinator.data-dir): " + IoReason.of(e),
          e);
    }
    throw new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        directory + " (coordinator.data-dir) is in use by another coordinator");
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      // Held within this very process.
      return false;
    }
  }

  private static void unlock(FileChannel lock, Exception because) {
    try {
      lock.close();
    } catch (IOException e) {
      because.addSuppressed(e);
    }
  }

  /** host:port for clients in this process. */
  public String connectString() {
    return LOOPBACK + ":" + server.getClientPort();
  }

  @Override
  public void close() {
    server.close();
    try {
      lock.close();
    } catch (IOException e) {
      throw new SluiceException(ErrorCode.INTERNAL_ERROR, "cannot unlock the data directory", e);
    }
  }
}
