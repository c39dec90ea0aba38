package io.sluice.integration;

import io.sluice.cli.local.Installation;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** ZooKeeper's own server in a process of its own, for coordinators that are more than one. */
final class LoneZooKeeper {
  private LoneZooKeeper() {}

  /** Starts it without waiting: coordinators do. It ends with its group. Returns host:port. */
  static String start(ProcessGroup group, Installation installation, Path directory)
      throws IOException {
    Files.createDirectories(directory);
    int port = freePort();
    Path settings =
        Files.writeString(
            directory.resolve("zoo.cfg"),
            """
            clientPortAddress=127.0.0.1
            clientPort=%d
            dataDir=%s
            tickTime=1000
            admin.enableServer=false
            """
                .formatted(port, directory.resolve("data")));
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

  /** A port that nobody listens on, now. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
