package io.sluice.benchmarks.storage.child;

import io.sluice.benchmarks.child.CommandLoop;
import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import java.io.IOException;

/** The child's end: runs phases as they are asked for. */
public final class PhaseLoop {
  static final String DISCARD = "discard";

  private PhaseLoop() {}

  /** Runs one phase. */
  public interface Runner {
    PhaseFigures run(Phase phase) throws Exception;
  }

  /**
   * Serves until standard input ends or a phase fails.
   *
   * @param discard removes what phases have left on the disk
   */
  public static void serve(Runner runner, Runnable discard) throws IOException {
    CommandLoop.serve(
        "",
        words -> {
          if (words[0].equals(DISCARD)) {
            discard.run();
            return "";
          }
          return runner.run(Phase.valueOf(words[0])).format();
        });
  }
}
