package io.sluice.coordinator.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A single ZooKeeper in a process of its own: much of what it can be set to is of a whole JVM. */
final class ZooKeeperProcess implements AutoCloseable {
  private final Process process;
  private final Socket held;

  private ZooKeeperProcess(Process process, Socket held) {
    this.process = process;
    this.held = held;
  }

  /**
   * Starts it without waiting for it.
   *
   * @param directory for its files
   * @param portSetting which setting names the port that clients come to, on loopback
   * @param settings more lines of its file
   * @param jvm more arguments of its JVM
   */
  static ZooKeeperProcess start(
      Path directory, String portSetting, List<String> settings, List<String> jvm)
      throws IOException {
    Socket held = hold();
    List<String> lines = new ArrayList<>(settings);
    lines.add("tickTime=1000");
    lines.add("dataDir=" + Files.createDirectory(directory.resolve("zookeeper")));
    lines.add(portSetting + "=" + held.getLocalPort());
    lines.add(portSetting + "Address=127.0.0.1");
    lines.add("admin.enableServer=false");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1"));
    command.addAll(jvm);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("org.apache.zookeeper.server.quorum.QuorumPeerMain");
    command.add(Files.write(directory.resolve("zoo.cfg"), lines).toString());
    return new ZooKeeperProcess(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("zookeeper.log").toFile())
            .start(),
        held);
  }

  /**
   * A port that nobody else is given, on which a process may listen all the same: it is bound, as
   * an address that may be used again, and not listened on.
   */
  static Socket hold() throws IOException {
    Socket held = new Socket();
    held.setReuseAddress(true);
    held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return held;
  }

  String connectString() {
    return "localhost:" + held.getLocalPort();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
    try {
      held.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
