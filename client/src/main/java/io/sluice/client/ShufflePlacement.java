package io.sluice.client;

import io.sluice.common.id.ShuffleKey;
import java.io.Serializable;
import java.util.List;

/**
 * Where the partitions of a shuffle live: the first epoch's replica sets, later epochs appended.
 * Immutable; serialisable, because it travels in the engine's shuffle handle.
 */
public interface ShufflePlacement extends Serializable {
  ShuffleKey shuffle();

  int partitions();

  /** Every server named by any epoch, without duplicates. */
  List<PlacedServer> servers();

  /** How many epochs there are; at least 1. */
  int epochs();

  /** Servers per replica set. */
  int replicas(int epoch);

  /** Index into {@link #servers()} of a replica of a partition. */
  int server(int epoch, int partition, int replica);
}
