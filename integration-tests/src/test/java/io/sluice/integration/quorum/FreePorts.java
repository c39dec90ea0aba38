package io.sluice.integration.quorum;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Ports for processes that are killed and started again under the same address. They are below
 * those that the system gives to outgoing connections, which could else take one meanwhile.
 */
public final class FreePorts {
  private static final int FIRST = 21_000;
  private static final int END = 32_000;

  // Two test runs side by side begin at different places.
  private static int next = FIRST + (int) (ProcessHandle.current().pid() * 97 % (END - FIRST));

  private FreePorts() {}

  /** Different ports that nobody listens on now, and others with every call. Thread-safe. */
  public static synchronized List<Integer> take(int count) throws IOException {
    List<Integer> free = new ArrayList<>();
    for (int tried = 0; free.size() < count; tried++) {
      if (tried == END - FIRST) {
        throw new IOException("no " + count + " free ports from " + FIRST + " to " + END);
      }
      if (isFree(next)) {
        free.add(next);
      }
      next = next + 1 < END ? next + 1 : FIRST;
    }
    return free;
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (java.net.BindException taken) {
      return false;
    }
  }
}
