package io.sluice.coordinator.placement;

import io.sluice.coordinator.registry.ServerAddress;
import java.util.List;

/**
 * Where the partitions of one epoch live.
 *
 * @param servers those used, each once
 * @param replicas servers per partition
 * @param assignment for partition p and replica r, entry p x replicas + r is an index into {@code
 *     servers}; treat as immutable, it is not copied
 * @param apart how far the copies of each partition are from each other
 */
@SuppressWarnings(
    "ArrayRecordComponent") // Compared by identity; a copy of 20,000 ints per call is waste.
public record Placement(List<ServerAddress> servers, int replicas, int[] assignment, Apart apart) {
  public Placement {
    servers = List.copyOf(servers);
  }

  /** Of which nobody has looked yet how far copies are apart. */
  public Placement(List<ServerAddress> servers, int replicas, int[] assignment) {
    this(servers, replicas, assignment, replicas == 1 ? Apart.SINGLE : Apart.SERVER);
  }

  /** The same, having looked. */
  public Placement among(List<Candidate> candidates) {
    return new Placement(servers, replicas, assignment, Apart.of(this, candidates));
  }

  public int partitions() {
    return assignment.length / replicas;
  }
}
