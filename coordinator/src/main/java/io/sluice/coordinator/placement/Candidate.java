package io.sluice.coordinator.placement;

import io.sluice.coordinator.registry.ServerAddress;

/**
 * A server that may be given partitions.
 *
 * @param weight free capacity in bytes, positive; see {@link FreeCapacity}
 */
public record Candidate(ServerAddress address, long weight) {
  public Candidate {
    if (weight <= 0) {
      throw new IllegalArgumentException(address + " has weight " + weight);
    }
  }
}
