package io.sluice.integration;

import io.sluice.cli.local.Installation;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/** ZooKeeper's own server in a process of its own, for coordinators that are more than one. */
final class LoneZooKeeper {
  /** As many as processes are started on ports that were chosen before. */
  private static final Collection<Socket> HELD = new ConcurrentLinkedQueue<>();

  private LoneZooKeeper() {}

  /** Starts it without waiting: coordinators do. It ends with its group. Returns host:port. */
  static String start(ProcessGroup group, Installation installation, Path directory)
      throws IOException {
    Files.createDirectories(directory);
    int port = freePort();
    Path settings =
        Files.writeString(
            directory.resolve("zoo.cfg"),
            String.format(
                Locale.ROOT,
                """
            clientPortAddress=127.0.0.1
            clientPort=%d
            dataDir=%s
            tickTime=1000
            admin.enableServer=false
            """,
                port,
                directory.resolve("data")));
    group.start(
        new ChildSpec(
            "zookeeper",
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                installation.classPath(),
                "org.apache.zookeeper.server.ZooKeeperServerMain",
                settings.toString()),
            Map.of(),
            directory,
            directory.resolve("log"),
            line -> false));
    return "127.0.0.1:" + port;
  }

  /**
   * A port on loopback that nobody else is given as long as these tests run: it is bound, as an
   * address that may be used again, and not listened on. So a process may that is told of it.
   */
  static int freePort() throws IOException {
    Socket held = new Socket();
    held.setReuseAddress(true);
    held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    HELD.add(held);
    return held.getLocalPort();
  }
}
