package io.sluice.server.ingest;

import io.sluice.common.id.ShuffleKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which partitions the client of a connection was told to take elsewhere because they are large
 * here. It is told once for each {@code splitBytes} that a partition has come to: one block is
 * refused, which makes the client ask its driver for another server. Blocks under way meanwhile are
 * taken, and so are those of a client that comes back because there is no other server: nothing is
 * wrong with them, and to refuse everything would send a partition that is large everywhere in
 * circles. On the connection's event loop.
 */
final class PartitionSplits {
  /** Partitions of gigabytes that one client writes at a time; beyond, some are told twice. */
  private static final int MAX_TOLD = 1024;

  private final long splitBytes;

  // How many times splitBytes a partition held when the client was told last.
  private final Map<Place, Long> told =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, Long> eldest) {
          return size() > MAX_TOLD;
        }
      };

  PartitionSplits(long splitBytes) {
    this.splitBytes = splitBytes;
  }

  /** Tells nobody. */
  static PartitionSplits never() {
    return new PartitionSplits(Long.MAX_VALUE);
  }

  /** Whether the client has to be told now; true means that it was. */
  boolean isDue(ShuffleKey shuffle, int partition, long heldBytes) {
    if (heldBytes < splitBytes) {
      return false;
    }
    long steps = heldBytes / splitBytes;
    Long before = told.put(new Place(shuffle, partition), steps);
    return before == null || before < steps;
  }

  private record Place(ShuffleKey shuffle, int partition) {}
}
