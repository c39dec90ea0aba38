package io.sluice.benchmarks.storage.child;

import io.sluice.benchmarks.child.CommandLoop;
import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import io.sluice.benchmarks.storage.disk.DiskTurn;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** The child's end: runs phases as they are asked for, whole or turn by turn. */
public final class PhaseLoop {
  static final String DISCARD = "discard";
  static final String TURN = "turn";
  private static final int TURN_WORDS = 3;

  private final Runner runner;
  private final Runnable discard;
  private final DiskTurn turn;
  private @Nullable FutureTask<PhaseFigures> taking;

  PhaseLoop(Runner runner, Runnable discard, DiskTurn turn) {
    this.runner = runner;
    this.discard = discard;
    this.turn = turn;
  }

  /** Runs one phase. */
  public interface Runner {
    PhaseFigures run(Phase phase) throws Exception;
  }

  /**
   * Serves until standard input ends or a phase fails.
   *
   * @param discard removes what phases have left on the disk
   * @param turn which phases keep to that are run turn by turn
   */
  public static void serve(Runner runner, Runnable discard, DiskTurn turn) throws IOException {
    PhaseLoop loop = new PhaseLoop(runner, discard, turn);
    try {
      CommandLoop.serve("", loop::answer);
    } finally {
      // Or a phase whose owner is gone would wait for its next turn for ever.
      turn.end();
    }
  }

  /** Carries out one command; while a phase takes turns, nothing but its next turn. */
  String answer(String... words) throws Exception {
    boolean turns = words.length == TURN_WORDS && words[0].equals(TURN);
    if (turns) {
      return turn(Phase.valueOf(words[1]), Long.parseLong(words[2]));
    }
    if (taking != null) {
      throw new IllegalStateException(words[0] + " while a phase takes turns");
    }
    if (words[0].equals(DISCARD)) {
      discard.run();
      return "";
    }
    return runner.run(Phase.valueOf(words[0])).format();
  }

  /** One turn of a phase, which begins with its first; its figures if it ended in this one. */
  private String turn(Phase phase, long bytes) throws Exception {
    FutureTask<PhaseFigures> current = taking;
    if (current == null) {
      turn.begin();
      current = new FutureTask<>(() -> runToEnd(phase));
      taking = current;
      new Thread(current, "bench-phase").start();
    }
    if (!turn.take(bytes)) {
      return "";
    }
    taking = null;
    try {
      return current.get().format();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private PhaseFigures runToEnd(Phase phase) throws Exception {
    try {
      return runner.run(phase);
    } finally {
      turn.end();
    }
  }
}
