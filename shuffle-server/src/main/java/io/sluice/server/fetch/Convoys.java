package io.sluice.server.fetch;

import io.sluice.common.time.Scheduler;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.StoredExtent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which streams read the same part of the same partition at the moment. Thread-safe; its lock is
 * taken before a convoy's.
 */
public final class Convoys {
  private final Scheduler scheduler;
  private final Map<Key, Convoy> convoys = new HashMap<>();

  private record Key(PartitionBuffer partition, MapRange maps) {}

  /**
   * @param scheduler for giving up on readers that hold others up
   */
  public Convoys(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * Joins a stream to those that read the same, to be left by {@link Passage#leave}; null if the
   * extents are so few that all readers find them in memory anyway, or nothing read from their
   * disks is shared.
   *
   * @param extents in the order in which the partition has them
   * @param wake told on any thread that a stream that was refused may read on
   */
  @Nullable Passage join(
      PartitionBuffer partition, MapRange maps, List<StoredExtent> extents, Runnable wake) {
    long bytes = 0;
    long spread = Long.MAX_VALUE;
    for (StoredExtent extent : extents) {
      bytes += ExtentWork.part(extent.extent(), maps).length();
      spread = Math.min(spread, extent.store().readerSpread());
    }
    if (spread == 0 || bytes <= spread) {
      return null;
    }
    Key key = new Key(partition, maps);
    synchronized (this) {
      long apart = spread;
      Convoy convoy = convoys.computeIfAbsent(key, k -> new Convoy(scheduler, apart));
      return convoy.join(extents.size(), wake, left -> leave(key, left));
    }
  }

  private void leave(Key key, Passage passage) {
    Convoy.Left left;
    synchronized (this) {
      left = passage.convoy().remove(passage);
      if (left.nobody()) {
        convoys.remove(key, passage.convoy());
      }
    }
    left.woken().forEach(Passage::wake);
  }

  /** Different partitions, or ranges of maps, that are being read side by side or alone. */
  public synchronized int size() {
    return convoys.size();
  }
}
