package io.sluice.integration.quorum;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One process of ZooKeeper's own server, from the jars that Sluice comes with. */
final class ZooKeeperMember {
  private static final int ANSWER_MILLIS = 5_000;

  private final ProcessGroup group;
  private final String classPath;
  private final Path directory;
  private final int clientPort;
  private ChildProcess process;

  private ZooKeeperMember(
      ProcessGroup group, String classPath, Path directory, int clientPort, ChildProcess process) {
    this.group = group;
    this.classPath = classPath;
    this.directory = directory;
    this.clientPort = clientPort;
    this.process = process;
  }

  /**
   * Writes what it needs, and starts it.
   *
   * @param id in the ensemble
   * @param configuration all of {@code zoo.cfg} but what this member alone has
   */
  static ZooKeeperMember start(
      ProcessGroup group,
      String classPath,
      Path directory,
      int id,
      int clientPort,
      String configuration)
      throws IOException {
    Path data = Files.createDirectories(directory.resolve("data"));
    Files.writeString(data.resolve("myid"), Integer.toString(id));
    Files.writeString(
        directory.resolve("zoo.cfg"),
        configuration + "dataDir=" + data + "\nclientPort=" + clientPort + "\n");
    return new ZooKeeperMember(
        group, classPath, directory, clientPort, run(group, classPath, directory));
  }

  private static ChildProcess run(ProcessGroup group, String classPath, Path directory)
      throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath,
            "org.apache.zookeeper.server.quorum.QuorumPeerMain",
            directory.resolve("zoo.cfg").toString());
    return group.start(
        new ChildSpec(
            String.valueOf(directory.getFileName()),
            command,
            Map.of(),
            directory,
            directory.resolve("log"),
            line -> false));
  }

  int clientPort() {
    return clientPort;
  }

  /** SIGKILL. */
  void kill() throws IOException, InterruptedException {
    Signals.send(process.pid(), "KILL");
  }

  /** Starts it again with its data. */
  void startAgain() throws IOException {
    group.end(process);
    process = run(group, classPath, directory);
  }

  /** Whether it leads the ensemble. */
  boolean leads() {
    return ask("srvr").contains("Mode: leader");
  }

  /** Whether it leads or follows, and so takes clients. */
  boolean serves() {
    return ask("srvr").contains("Mode: ");
  }

  /** The answer to one of ZooKeeper's words; empty if there is none. */
  String ask(String word) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), clientPort), ANSWER_MILLIS);
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.getOutputStream().write(word.getBytes(UTF_8));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException away) {
      return "";
    }
  }
}
