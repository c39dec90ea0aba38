package io.sluice.coordinator.application;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;

/**
 * What a driver wants placed.
 *
 * @param partitions 0 to {@link #MAX_ASSIGNMENTS}
 * @param replicas servers per partition
 */
public record ShuffleSpec(ShuffleKey shuffle, int partitions, int replicas) {
  /**
   * Partitions x replicas of one shuffle. Spark's practical limit is near 100,000 partitions; a
   * million indices are 2 to 3 MB in a response, below gRPC's 4 MB.
   */
  public static final int MAX_ASSIGNMENTS = 1_000_000;

  /** More copies than this protect against nothing that happens. */
  public static final int MAX_REPLICAS = 3;

  /**
   * @throws SluiceException INVALID_ARGUMENT on negative or excessive numbers
   */
  public ShuffleSpec {
    require(shuffle.shuffleId() >= 0, "shuffle id " + shuffle.shuffleId() + " is negative");
    require(shuffle.generation() >= 0, "generation " + shuffle.generation() + " is negative");
    require(
        replicas >= 1 && replicas <= MAX_REPLICAS,
        replicas + " replicas, allowed are 1 to " + MAX_REPLICAS);
    require(
        partitions >= 0 && (long) partitions * replicas <= MAX_ASSIGNMENTS,
        partitions
            + " partitions x "
            + replicas
            + " replicas, allowed are 0 to "
            + MAX_ASSIGNMENTS
            + " in all");
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, otherwise);
    }
  }
}
