package io.sluice.coordinator.placement;

/**
 * @param partitions 0 to {@link #MAX_PARTITIONS}
 * @param replicas at least 1
 * @param seed decides ties and rounding; different shuffles should come with different seeds
 * @param home who asks
 */
public record PlacementRequest(int partitions, int replicas, long seed, Home home) {
  static final int MAX_PARTITIONS = 1 << 20;

  /**
   * The application.
   *
   * @param zone where it runs, empty if it does not say
   * @param seed the same for all of its shuffles
   */
  public record Home(String zone, long seed) {
    static final Home UNKNOWN = new Home("", 0);
  }

  public PlacementRequest {
    if (partitions < 0 || partitions > MAX_PARTITIONS || replicas < 1) {
      throw new IllegalArgumentException(partitions + " partitions x " + replicas + " replicas");
    }
  }

  /** Of an application that does not say where it runs. */
  public PlacementRequest(int partitions, int replicas, long seed) {
    this(partitions, replicas, seed, Home.UNKNOWN);
  }
}
