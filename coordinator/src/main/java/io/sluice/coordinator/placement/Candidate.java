package io.sluice.coordinator.placement;

import io.sluice.common.placement.Place;
import io.sluice.coordinator.registry.ServerAddress;

/**
 * A server that may be given partitions.
 *
 * @param weight free capacity in bytes, positive; see {@link FreeCapacity}
 */
public record Candidate(ServerAddress address, Place place, long weight) {
  public Candidate {
    if (weight <= 0) {
      throw new IllegalArgumentException(address + " has weight " + weight);
    }
  }

  /** A server of which nobody has said where it stands. */
  public Candidate(ServerAddress address, long weight) {
    this(address, Place.UNKNOWN, weight);
  }

  Candidate weighing(long other) {
    return new Candidate(address, place, other);
  }
}
