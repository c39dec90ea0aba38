package io.sluice.benchmarks.storage.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** The child's end: runs phases as they are asked for. */
public final class PhaseLoop {
  static final String READY = "@ready";
  static final String DONE = "@done ";
  static final String FAILED = "@failed ";
  static final String DISCARD = "discard";

  private PhaseLoop() {}

  /** Runs one phase. */
  public interface Runner {
    PhaseFigures run(Phase phase) throws Exception;
  }

  /**
   * Serves until standard input ends or a phase fails.
   *
   * @param discard removes what phases have left on the disk; answered with {@value #READY}
   */
  public static void serve(Runner runner, Runnable discard) throws IOException {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    System.out.println(READY);
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      try {
        if (line.equals(DISCARD)) {
          discard.run();
          System.out.println(READY);
        } else {
          System.out.println(DONE + runner.run(Phase.valueOf(line)).format());
        }
      } catch (Exception failure) {
        failure.printStackTrace(System.err);
        System.out.println(FAILED + message(failure).replace('\n', ' '));
        return;
      }
    }
  }

  private static String message(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure.toString() : failure.getMessage() + ": " + cause;
  }
}
