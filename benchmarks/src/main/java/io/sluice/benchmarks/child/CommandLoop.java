package io.sluice.benchmarks.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** The child's end: carries out commands as they come. */
public final class CommandLoop {
  static final String DONE = "@done ";
  static final String FAILED = "@failed ";

  private CommandLoop() {}

  /** Carries out one command. */
  public interface Runner {
    /** What to answer; one line. */
    String run(String[] words) throws Exception;
  }

  /**
   * Serves until standard input ends or a command fails.
   *
   * @param ready what to say first
   */
  public static void serve(String ready, Runner runner) throws IOException {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    answer(ready);
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      try {
        answer(runner.run(line.split(" ", -1)));
      } catch (Exception failure) {
        failure.printStackTrace(System.err);
        System.out.println(FAILED + message(failure).replace('\n', ' '));
        return;
      }
    }
  }

  /** Tells the owner one line: what a child says that has nothing else to do. */
  public static void answer(String line) {
    System.out.println(DONE + line);
  }

  private static String message(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure.toString() : failure.getMessage() + ": " + cause;
  }
}
