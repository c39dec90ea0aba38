package io.sluice.tier.hdfs;

import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.config.RemoteStorage;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An HDFS that wants Kerberos, with a KDC, started with the first test class that asks and shared
 * by all in this process; which has no other HDFS, since Hadoop's login and the JDK's Kerberos
 * configuration belong to the process.
 */
final class SecuredHdfs implements BeforeAllCallback {
  private static final AtomicInteger ROOTS = new AtomicInteger();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private Running running;

  /** Lives until the last test has ended. */
  private static final class Running implements AutoCloseable {
    private final Path directory = Files.createTempDirectory("sluice-secured-hdfs");
    private final MiniKdc kdc;
    private final MiniDFSCluster cluster;
    private final ThreadScheduler timers =
        new ThreadScheduler(
            "hdfs-test-timer",
            Clock.system(),
            (thread, failure) -> {
              throw new AssertionError(failure);
            });

    Running() throws Exception {
      kdc =
          new MiniKdc(
              MiniKdc.createConf(), Files.createDirectory(directory.resolve("kdc")).toFile());
      kdc.start();
      File hdfs = keytab("hdfs").toFile();
      kdc.createPrincipal(hdfs, "hdfs/localhost", "HTTP/localhost");
      kdc.createPrincipal(keytab("sluice").toFile(), "sluice/localhost");
      Configuration hadoop = settings();
      UserGroupInformation.setConfiguration(hadoop);
      UserGroupInformation.loginUserFromKeytab(principal("hdfs"), hdfs.toString());
      cluster =
          new MiniDFSCluster.Builder(
                  hadoop, Files.createDirectory(directory.resolve("dfs")).toFile())
              .numDataNodes(1)
              .build();
      cluster.waitActive();
      Configuration client = new Configuration(hadoop);
      client.set("fs.defaultFS", cluster.getFileSystem().getUri().toString());
      try (OutputStream out = Files.newOutputStream(directory.resolve("core-site.xml"))) {
        client.writeXml(out);
      }
    }

    private Configuration settings() {
      Configuration hadoop = new Configuration();
      String keytab = keytab("hdfs").toString();
      hadoop.set("hadoop.security.authentication", "kerberos");
      hadoop.set("hadoop.proxyuser.sluice.hosts", "*");
      hadoop.set("hadoop.proxyuser.sluice.users", "alice,bob");
      for (String service : List.of("dfs.namenode", "dfs.datanode")) {
        hadoop.set(service + ".kerberos.principal", principal("hdfs"));
        hadoop.set(service + ".keytab.file", keytab);
      }
      hadoop.set("dfs.web.authentication.kerberos.principal", principal("HTTP"));
      hadoop.set("dfs.web.authentication.kerberos.keytab", keytab);
      hadoop.set("dfs.block.access.token.enable", "true");
      hadoop.set("dfs.data.transfer.protection", "authentication");
      // Ports below 1024 or certificates would be asked for otherwise; neither is what is tested.
      hadoop.set("ignore.secure.ports.for.testing", "true");
      hadoop.set("dfs.heartbeat.interval", "1");
      hadoop.set("dfs.namenode.fs-limits.min-block-size", "4096");
      return hadoop;
    }

    private Path keytab(String name) {
      return directory.resolve(name + ".keytab");
    }

    private String principal(String name) {
      return name + "/localhost@" + kdc.getRealm();
    }

    @Override
    public void close() {
      cluster.shutdown(true);
      kdc.stop();
      timers.close();
      FileUtil.fullyDelete(directory.toFile());
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    running = StartedOnce.of(Running.class, context, Running::new);
  }

  /** Where {@code core-site.xml} lies. */
  Path configuration() {
    return running.directory;
  }

  Path keytab(String name) {
    return running.keytab(name);
  }

  String principal(String name) {
    return running.principal(name);
  }

  /** What a server logs in with. */
  RemoteStorage.Login login() {
    return new RemoteStorage.Login(principal("sluice"), keytab("sluice"));
  }

  ThreadScheduler timers() {
    return running.timers;
  }

  /** HDFS as its superuser sees it. */
  FileSystem superuser() throws IOException {
    return running.cluster.getFileSystem();
  }

  /** A folder that the servers may write, as an administrator makes it. */
  org.apache.hadoop.fs.Path newRoot() throws IOException {
    FileSystem superuser = superuser();
    org.apache.hadoop.fs.Path root =
        superuser.makeQualified(
            new org.apache.hadoop.fs.Path("/sluice-" + ROOTS.incrementAndGet()));
    superuser.mkdirs(root);
    superuser.setPermission(root, new FsPermission((short) 0777));
    return root;
  }

  /** Connects with the server's keytab. */
  HdfsClient connect(org.apache.hadoop.fs.Path root) {
    Configuration hadoop = HadoopConfiguration.read(List.of(configuration()));
    HdfsUser user = HdfsUser.login(hadoop, Optional.of(login()), Optional.empty());
    return HdfsClient.open(
        root, hadoop, new HdfsCalls(user, 16, Duration.ofSeconds(60).toNanos()), timers());
  }
}
