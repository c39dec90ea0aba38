package io.sluice.client;

import io.sluice.common.id.ShuffleKey;
import java.io.Serializable;
import java.util.List;

/**
 * Where the partitions of a shuffle live: a list of epochs. Epoch 0 names a replica set for every
 * partition; a later one names new sets for some of them and leaves the others where they were. A
 * writer uses the newest set of a partition, a reader asks all of them.
 *
 * <p>Immutable; serialisable, because it travels in the engine's shuffle handle. A newer placement
 * of a shuffle begins with the epochs of the older one.
 */
public interface ShufflePlacement extends Serializable {
  /**
   * Epochs that a placement may have. A shuffle that has lost or filled a thousand servers has
   * other troubles; and what readers ask stays bounded.
   */
  int MAX_EPOCHS = 1024;

  ShuffleKey shuffle();

  int partitions();

  /**
   * Every server named by any epoch, without duplicates. The list of a newer placement begins with
   * that of the older one, so a position in it stays a server's.
   */
  List<PlacedServer> servers();

  /** How many epochs there are; at least 1. */
  int epochs();

  /** Servers per replica set. */
  int replicas(int epoch);

  /**
   * The first partition from {@code from} on that an epoch names; {@link #partitions()} if none.
   */
  int nextNamed(int epoch, int from);

  /**
   * The newest epoch that names a partition, as a writer saw it who knew no epoch after {@code
   * asOf}.
   */
  int epochOf(int partition, int asOf);

  /** Index into {@link #servers()} of a replica of a partition that the epoch names. */
  int server(int epoch, int partition, int replica);
}
