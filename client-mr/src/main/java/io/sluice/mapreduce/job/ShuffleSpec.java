package io.sluice.mapreduce.job;

import io.sluice.common.id.ShuffleKey;
import java.time.Duration;

/** What a job wants placed, and for how long. Immutable. */
final class ShuffleSpec {
  private final ShuffleKey key;
  private final int partitions;
  private final int replicas;
  private final Duration lease;

  /**
   * @param replicas servers that hold each block
   * @param lease how long the job may be silent
   */
  ShuffleSpec(ShuffleKey key, int partitions, int replicas, Duration lease) {
    this.key = key;
    this.partitions = partitions;
    this.replicas = replicas;
    this.lease = lease;
  }

  ShuffleKey key() {
    return key;
  }

  int partitions() {
    return partitions;
  }

  int replicas() {
    return replicas;
  }

  long leaseMillis() {
    return lease.toMillis();
  }
}
