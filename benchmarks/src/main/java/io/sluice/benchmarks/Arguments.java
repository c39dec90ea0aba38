package io.sluice.benchmarks;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;

/** Checks of numbers that come from the command line. */
public final class Arguments {
  private Arguments() {}

  /**
   * @throws CommandFailedException with {@link ExitCode#USAGE} if a value is too small
   */
  public static void atLeast(long least, String option, long value) {
    if (value < least) {
      throw new CommandFailedException(
          ExitCode.USAGE, option + " must be at least " + least + ", not " + value);
    }
  }
}
