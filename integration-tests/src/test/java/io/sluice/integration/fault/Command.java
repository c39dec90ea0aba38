package io.sluice.integration.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;

/** Commands of the operating system. */
final class Command {
  private Command() {}

  static void run(String... command) throws IOException, InterruptedException {
    output(command);
  }

  /** What it says, without blanks around it. */
  static String output(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(List.of(command) + ": " + said.strip());
    }
    return said.strip();
  }

  /** Whether it is there, may be run, and succeeds. */
  static boolean succeeds(String... command) throws InterruptedException {
    try {
      run(command);
      return true;
    } catch (IOException refused) {
      return false;
    }
  }
}
