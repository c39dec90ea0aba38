package io.sluice.server.fetch;

import io.sluice.common.id.ShuffleKey;

/** Partitions that a stream is of, or was. */
record FetchedRange(ShuffleKey shuffle, int firstPartition, int endPartition) {
  boolean contains(ShuffleKey other, int partition) {
    return shuffle.equals(other) && firstPartition <= partition && partition < endPartition;
  }
}
