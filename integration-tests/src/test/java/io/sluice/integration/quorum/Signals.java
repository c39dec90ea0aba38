package io.sluice.integration.quorum;

import java.io.IOException;

/** Signals to processes. */
final class Signals {
  private Signals() {}

  /**
   * @param name such as KILL
   */
  static void send(long pid, String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
    if (kill.waitFor() != 0) {
      throw new IOException("SIG" + name + " cannot be sent to " + pid);
    }
  }
}
