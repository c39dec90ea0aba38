package io.sluice.coordinator.zookeeper;

import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds out, for people, why the members of an ensemble could not be reached. Blocks. */
final class EnsembleProbe {
  private static final int PATIENCE_MILLIS = 2_000;
  private static final String NO_SESSION =
      "takes connections and no sessions: is it ZooKeeper's client port (its secure one with TLS,"
          + " and no other without), and has the ensemble a quorum?";

  private EnsembleProbe() {}

  /** A line for each member. */
  static String describe(String connect) {
    List<String> lines = new ArrayList<>();
    for (String member : connect.split(",")) {
      lines.add(member + ": " + refusal(HostPort.parse(member)).orElse(NO_SESSION));
    }
    return String.join("\n  - ", lines);
  }

  /** The same on one line, if no member takes connections. */
  static Optional<String> unreachable(List<HostPort> members) {
    List<String> lines = new ArrayList<>();
    for (HostPort member : members) {
      Optional<String> refusal = refusal(member);
      if (refusal.isEmpty()) {
        return Optional.empty();
      }
      lines.add(member + ": " + refusal.get());
    }
    return Optional.of(String.join("; ", lines));
  }

  /** Why a member takes no connection; empty if it does. */
  private static Optional<String> refusal(HostPort member) {
    InetSocketAddress address = new InetSocketAddress(member.host(), member.port());
    if (address.isUnresolved()) {
      return Optional.of("no such host: is the name right?");
    }
    try (Socket socket = new Socket()) {
      socket.connect(address, PATIENCE_MILLIS);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          e.getMessage() + ": does ZooKeeper run there, and is the port right (usually 2181)?");
    }
  }
}
