package io.sluice.tier.hdfs;

import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.tier.Owners;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real HDFS of one namenode and two datanodes in this process, started with the first test class
 * that asks and shared by all.
 */
public final class MiniHdfs implements BeforeAllCallback {
  static final int REPLICATION = 2;
  private static final AtomicInteger FOLDERS = new AtomicInteger();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private Running running;

  /** Lives until the last test has ended. */
  private static final class Running implements AutoCloseable {
    private final Path directory;
    private final MiniDFSCluster cluster;
    private final ThreadScheduler timers =
        new ThreadScheduler(
            "hdfs-test-timer",
            Clock.system(),
            (thread, failure) -> {
              throw new AssertionError(failure);
            });

    Running() throws IOException {
      directory = Files.createTempDirectory("sluice-hdfs");
      cluster =
          new MiniDFSCluster.Builder(settings(), directory.toFile())
              .numDataNodes(REPLICATION)
              .build();
      cluster.waitActive();
    }

    @Override
    public void close() {
      cluster.shutdown(true);
      timers.close();
      FileUtil.fullyDelete(directory.toFile());
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    running = StartedOnce.of(Running.class, context, Running::new);
  }

  MiniDFSCluster cluster() {
    return running.cluster;
  }

  ThreadScheduler timers() {
    return running.timers;
  }

  /** To whom the files below a folder belong, each owner once. */
  public Set<String> ownersBelow(String folder) throws IOException {
    Set<String> owners = new TreeSet<>();
    var files =
        running.cluster.getFileSystem().listFiles(new org.apache.hadoop.fs.Path(folder), true);
    while (files.hasNext()) {
      owners.add(files.next().getOwner());
    }
    return owners;
  }

  /** As whoever runs the tests. */
  public FileSystem files() throws IOException {
    return running.cluster.getFileSystem();
  }

  /** To connect as somebody else with. */
  Configuration configuration() {
    return new Configuration();
  }

  /** A folder nobody else has. */
  public org.apache.hadoop.fs.Path newFolder() {
    return new org.apache.hadoop.fs.Path(
        running.cluster.getURI() + "/sluice-" + FOLDERS.incrementAndGet());
  }

  /** Everything belongs to whoever connected. */
  static FileOwners serverOnly(HdfsClient client) {
    return new FileOwners(
        client, System.getProperty("user.name"), new UserConnections(client), Owners.NOBODY);
  }

  /**
   * Of every cluster in this process: who may act for whom is one table for all of them, which each
   * namenode fills anew when it starts.
   */
  static Configuration settings() {
    Configuration hadoop = new Configuration();
    // Lease recovery takes a heartbeat.
    hadoop.set("dfs.heartbeat.interval", "1");
    hadoop.set("dfs.namenode.fs-limits.min-block-size", "4096");
    // Who runs the tests may act for these, and for nobody else.
    String server = System.getProperty("user.name");
    hadoop.set("hadoop.proxyuser." + server + ".hosts", "*");
    hadoop.set("hadoop.proxyuser." + server + ".users", "alice,bob");
    return hadoop;
  }

  /** A connection of its own, as another process would have. */
  HdfsClient connect() {
    return connect(TimeUnit.SECONDS.toNanos(60));
  }

  HdfsClient connect(long deadlineNanos) {
    Configuration hadoop = new Configuration();
    HdfsUser user = HdfsUser.login(hadoop, Optional.empty(), Optional.empty());
    return HdfsClient.open(
        new org.apache.hadoop.fs.Path(running.cluster.getURI()),
        hadoop,
        new HdfsCalls(user, 16, deadlineNanos),
        running.timers);
  }
}
