package io.sluice.server.fetch;

import io.sluice.server.segment.SegmentStore;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * The read buffers of a server, an equal share for each disk: a disk that is slow, or does not
 * answer at all, holds up its own readers and nobody else's. Thread-safe.
 */
public final class ReadBuffers {
  private final int bufferBytes;
  private final ReadBufferPool others;
  private final IdentityHashMap<SegmentStore, ReadBufferPool> pools = new IdentityHashMap<>();

  /**
   * @param bufferBytes size of each
   * @param capacity how many in all; every disk has at least one
   */
  public ReadBuffers(int bufferBytes, int capacity, List<? extends SegmentStore> stores) {
    this.bufferBytes = bufferBytes;
    int share = Math.max(1, capacity / Math.max(1, stores.size()));
    for (SegmentStore store : stores) {
      pools.put(store, new ReadBufferPool(bufferBytes, share));
    }
    // What was taken over later lies on the lowest tier, and shares with the last.
    others =
        stores.isEmpty()
            ? new ReadBufferPool(bufferBytes, share)
            : pools.getOrDefault(
                stores.get(stores.size() - 1), new ReadBufferPool(bufferBytes, share));
  }

  int bufferBytes() {
    return bufferBytes;
  }

  ReadBufferPool of(SegmentStore store) {
    return pools.getOrDefault(store, others);
  }

  /** Buffers that somebody uses. */
  public int inUse() {
    return pools.isEmpty()
        ? others.inUse()
        : pools.values().stream().mapToInt(ReadBufferPool::inUse).sum();
  }
}
