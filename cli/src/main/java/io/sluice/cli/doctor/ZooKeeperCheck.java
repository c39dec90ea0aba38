package io.sluice.cli.doctor;

import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks one member of an ensemble by {@code srvr}, which every ZooKeeper answers unless told not to.
 */
final class ZooKeeperCheck {
  private static final int PATIENCE_MILLIS = 3_000;
  private static final int ANSWER_MAX = 8_192;

  private ZooKeeperCheck() {}

  /**
   * @param encrypted whether it speaks TLS there, and so has no words for who does not
   */
  static Finding member(HostPort address, boolean encrypted) {
    String check = "zookeeper " + address;
    InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
    if (resolved.isUnresolved()) {
      return Finding.fail(check, "no such host: is coordinator.zookeeper.connect right?");
    }
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.connect(resolved, PATIENCE_MILLIS);
      if (encrypted) {
        return Finding.ok(check, "takes connections; over TLS it was not asked how it is");
      }
      socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      byte[] answer = socket.getInputStream().readNBytes(ANSWER_MAX);
      return judge(check, new String(answer, StandardCharsets.UTF_8));
    } catch (IOException e) {
      return Finding.fail(check, "does not answer: " + e.getMessage());
    }
  }

  static Finding judge(String check, String answer) {
    Optional<String> version = find("Zookeeper version: ([^,\\s-]+)", answer);
    Optional<String> mode = find("Mode: (\\w+)", answer);
    if (version.isPresent() && mode.isPresent()) {
      return Finding.ok(check, version.get() + ", " + mode.get());
    }
    return answer.contains("not currently serving")
        ? Finding.fail(check, "runs, and has no quorum")
        : Finding.warn(check, "takes connections and does not say how it is (srvr not allowed?)");
  }

  private static Optional<String> find(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
