package io.sluice.integration.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;

/** Where a test listens, on the loopback interface, that says when somebody may go on. */
final class TestGate implements Serializable {
  private static final long serialVersionUID = 1;

  private final int port;

  /**
   * @param port 0 if no test listens, and everybody may go on
   */
  TestGate(int port) {
    this.port = port;
  }

  /** Says who has come, and returns when the test lets it go on. */
  void pass(String who) {
    if (port == 0) {
      return;
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        PrintStream out = new PrintStream(socket.getOutputStream(), true, UTF_8);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      out.println(who);
      if (in.readLine() == null) {
        throw new IOException("the test has hung up");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
