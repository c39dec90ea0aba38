package org.apache.spark.shuffle.sluice.failure;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import org.jspecify.annotations.Nullable;

/**
 * Writing or reading failed, somebody caught that, as a function of the user's may, and went on:
 * what would come of it is wrong, so the attempt fails for good. CANCELLED, with the first failure
 * as its cause.
 *
 * <p>An Error whoever caught it has dealt with, or not: as a cause, however far down, it would have
 * Spark end the executor ({@code spark.executor.killOnFatalError.depth}). So of a failure that has
 * one, this has the text only.
 */
public final class WentOnException extends SluiceException {
  /** Chains of causes are short; one that is not may go in a circle. */
  private static final int DEPTH = 16;

  /**
   * @param what was gone on with, and why that cannot be
   * @param first what was caught; null if that is not known
   */
  public WentOnException(String what, @Nullable Throwable first) {
    super(
        ErrorCode.CANCELLED,
        hasError(first) ? what + ". It failed of " + first : what,
        hasError(first) ? null : first);
  }

  private static boolean hasError(@Nullable Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < DEPTH; depth++) {
      if (at instanceof Error) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }
}
