package org.apache.spark.shuffle.sluice.handle;

import io.sluice.client.FixedPlacement;
import java.io.Serializable;
import java.util.concurrent.CompletionStage;

/**
 * A task process's message to the driver: a task is to write or read a shuffle that had been
 * removed when the task was sent. Immutable.
 */
public final class ReusedShuffle implements Serializable {
  private static final long serialVersionUID = 1;

  private final int shuffleId;

  public ReusedShuffle(int shuffleId) {
    this.shuffleId = shuffleId;
  }

  public int shuffleId() {
    return shuffleId;
  }

  /** Who has such a shuffle placed again, or knows where it was: the driver. Thread-safe. */
  public interface Places {
    /**
     * Asks for the shuffle's new place.
     *
     * @return fails with a {@link io.sluice.common.error.SluiceException}: what coordinators refuse
     *     it with; UNKNOWN_SHUFFLE if no plan is left that knows it; what a driver that does not
     *     answer ends with
     */
    CompletionStage<FixedPlacement> place(ReusedShuffle shuffle);
  }
}
