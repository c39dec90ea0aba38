package io.sluice.cli.report;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Says what is going on: on a terminal one line that is written over until a step is done,
 * elsewhere one plain line per step. Thread-safe.
 */
public final class Progress {
  private static final String ERASE_LINE = "\r\033[K";

  private final PrintStream out;
  private final boolean terminal;
  private final int steps;
  private int step;

  /**
   * @param steps how many {@link #step}s there will be
   */
  public Progress(PrintStream out, boolean terminal, int steps) {
    this.out = out;
    this.terminal = terminal;
    this.steps = steps;
  }

  /** The next step begins. */
  public synchronized void step(String what) {
    step++;
    String line = String.format(Locale.ROOT, "[%d/%d] %s", step, steps, what);
    if (terminal) {
      int done = 20 * (step - 1) / Math.max(1, steps);
      out.print(ERASE_LINE + "#".repeat(done) + ".".repeat(20 - done) + " " + line + " ...");
      out.flush();
    } else {
      out.println(line);
    }
  }

  /** Something worth keeping on the screen. */
  public synchronized void say(String line) {
    if (terminal) {
      out.print(ERASE_LINE);
    }
    out.println(line);
  }
}
