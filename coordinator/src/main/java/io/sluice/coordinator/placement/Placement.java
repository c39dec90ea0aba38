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
 */
@SuppressWarnings(
    "ArrayRecordComponent") // Compared by identity; a copy of 20,000 ints per call is waste.
public record Placement(List<ServerAddress> servers, int replicas, int[] assignment) {
  public Placement {
    servers = List.copyOf(servers);
  }

  public int partitions() {
    return assignment.length / replicas;
  }
}
