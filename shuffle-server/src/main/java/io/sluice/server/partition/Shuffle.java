package io.sluice.server.partition;

import io.sluice.common.id.ShuffleKey;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of one shuffle that this server has blocks of, made as they are first pushed to.
 * Lookups take no lock; making a partition and closing take the shuffle's.
 */
public final class Shuffle {
  /** Partition numbers from here on are refused: above any engine's real shuffle. */
  public static final int MAX_PARTITIONS = 1 << 20;

  private static final int INITIAL = 64;

  private final ShuffleKey key;
  private final int maxRunBytes;
  private final AtomicLong flushable = new AtomicLong();
  private volatile AtomicReferenceArray<@Nullable PartitionBuffer> table =
      new AtomicReferenceArray<>(INITIAL);
  private volatile boolean removed;

  /**
   * @param maxRunBytes a run is closed before it grows over this, unless one block does
   */
  public Shuffle(ShuffleKey key, int maxRunBytes) {
    this.key = key;
    this.maxRunBytes = maxRunBytes;
  }

  public ShuffleKey key() {
    return key;
  }

  /** Whether the shuffle is hidden: nothing may be stored in it or read from it any more. */
  public boolean removed() {
    return removed;
  }

  /** Bytes in memory that no flush has claimed. */
  public long flushableBytes() {
    return flushable.get();
  }

  /** One more than the highest partition that may exist. */
  public int endPartition() {
    return table.length();
  }

  /** A partition, or null if nothing was ever stored in it here. */
  public @Nullable PartitionBuffer find(int partition) {
    AtomicReferenceArray<@Nullable PartitionBuffer> now = table;
    return partition < now.length() ? now.get(partition) : null;
  }

  /**
   * A partition, made if need be.
   *
   * @param partition in [0, {@link #MAX_PARTITIONS})
   */
  public PartitionBuffer partition(int partition) {
    PartitionBuffer found = find(partition);
    return found != null ? found : make(partition);
  }

  private synchronized PartitionBuffer make(int partition) {
    PartitionBuffer made = find(partition);
    if (made == null) {
      if (partition >= table.length()) {
        grow(partition);
      }
      made = new PartitionBuffer(partition, maxRunBytes, flushable);
      if (removed) {
        made.close();
      }
      table.set(partition, made);
    }
    return made;
  }

  private void grow(int partition) {
    AtomicReferenceArray<@Nullable PartitionBuffer> old = table;
    int size = Integer.highestOneBit(partition) * 2;
    AtomicReferenceArray<@Nullable PartitionBuffer> larger = new AtomicReferenceArray<>(size);
    for (int i = 0; i < old.length(); i++) {
      larger.set(i, old.get(i));
    }
    table = larger;
  }

  /** Partitions that exist. */
  public int partitions() {
    AtomicReferenceArray<@Nullable PartitionBuffer> now = table;
    int count = 0;
    for (int i = 0; i < now.length(); i++) {
      if (now.get(i) != null) {
        count++;
      }
    }
    return count;
  }

  /** Hides the shuffle and drops its blocks; again is harmless. */
  public synchronized void remove() {
    removed = true;
    for (int i = 0; i < table.length(); i++) {
      PartitionBuffer partition = table.get(i);
      if (partition != null) {
        partition.close();
      }
    }
  }
}
