package io.sluice.benchmarks.wire.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** The child's end: carries out commands as they come. */
final class CommandLoop {
  static final String DONE = "@done ";
  static final String FAILED = "@failed ";

  private CommandLoop() {}

  /** Carries out one command. */
  interface Runner {
    /** What to answer; one line. */
    String run(String[] words) throws Exception;
  }

  /**
   * Serves until standard input ends or a command fails.
   *
   * @param ready what to say first
   */
  static void serve(String ready, Runner runner) throws IOException {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    System.out.println(DONE + ready);
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      try {
        System.out.println(DONE + runner.run(line.split(" ", -1)));
      } catch (Exception failure) {
        failure.printStackTrace(System.err);
        System.out.println(FAILED + failure.toString().replace('\n', ' '));
        return;
      }
    }
  }
}
