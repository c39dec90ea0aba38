package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits of a thread that registers a shuffle. */
final class Waiting {
  private Waiting() {}

  /**
   * Waits until something is over that does not fail.
   *
   * @param deadline on the system's clock
   * @return false at the deadline
   * @throws SluiceException CANCELLED if the thread was interrupted, which it stays
   */
  static boolean until(long deadline, CompletionStage<Boolean> over) {
    try {
      over.toCompletableFuture().get(deadline - Clock.system().nanoTime(), TimeUnit.NANOSECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(
          ErrorCode.CANCELLED, "interrupted while waiting for the coordinator", e);
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new AssertionError("what is waited for here fails alone", e);
    }
  }
}
