package io.sluice.coordinator.placement;

/**
 * @param partitions at least 0
 * @param replicas at least 1
 * @param seed decides ties and rounding; different shuffles should come with different seeds
 */
public record PlacementRequest(int partitions, int replicas, long seed) {}
