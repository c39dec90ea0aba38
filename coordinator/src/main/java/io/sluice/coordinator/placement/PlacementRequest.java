package io.sluice.coordinator.placement;

/**
 * @param partitions 0 to {@link #MAX_PARTITIONS}
 * @param replicas at least 1
 * @param seed decides ties and rounding; different shuffles should come with different seeds
 */
public record PlacementRequest(int partitions, int replicas, long seed) {
  static final int MAX_PARTITIONS = 1 << 20;

  public PlacementRequest {
    if (partitions < 0 || partitions > MAX_PARTITIONS || replicas < 1) {
      throw new IllegalArgumentException(partitions + " partitions x " + replicas + " replicas");
    }
  }
}
