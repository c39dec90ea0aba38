package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.FixedPlacement;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.TaskSignal;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.spark.shuffle.sluice.handle.ReusedShuffle;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;

/** Where the shuffles of a process's tasks lie. Thread-safe. */
public final class ShufflePlaces {
  private final ReusedShuffle.Places driver;
  private final TaskSignal.Factory signals;

  /**
   * @param driver asked for shuffles that had been removed when tasks were sent
   */
  public ShufflePlaces(ReusedShuffle.Places driver) {
    this.driver = driver;
    this.signals = new KillableSignals(TaskSignal.Factory.parking());
  }

  /**
   * Where a shuffle lies that the calling task writes or reads. Waits for the driver if it had been
   * removed when the task was sent, and ends with the task if that is killed ({@link
   * KillableSignals}).
   *
   * @throws SluiceException as {@link ReusedShuffle.Places#place}; CANCELLED if the thread was
   *     interrupted, which it stays
   */
  public ShufflePlacement of(SluiceShuffleHandle<?, ?, ?> handle) {
    return handle.wasRemoved() ? asked(new ReusedShuffle(handle.shuffleId())) : handle.placement();
  }

  private FixedPlacement asked(ReusedShuffle shuffle) {
    TaskSignal signal = signals.create();
    CompletionStage<FixedPlacement> asked = driver.place(shuffle);
    asked.whenComplete((placement, refused) -> signal.signal());
    CompletableFuture<FixedPlacement> answer = asked.toCompletableFuture();
    try {
      while (!answer.isDone()) {
        signal.await();
      }
      return answer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(
          ErrorCode.CANCELLED, "interrupted while waiting for a shuffle's new place", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof SluiceException ? (SluiceException) e.getCause() : e;
    }
  }
}
