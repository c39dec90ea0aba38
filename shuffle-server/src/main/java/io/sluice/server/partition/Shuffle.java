package io.sluice.server.partition;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.TableBudget;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of one shuffle that this server has blocks of, made as they are first pushed to.
 * Lookups take no lock; making a partition and closing take the shuffle's.
 */
public final class Shuffle {
  /** Partition numbers from here on are refused: above any engine's real shuffle. */
  public static final int MAX_PARTITIONS = 1 << 20;

  private final ShuffleKey key;
  private final int maxRunBytes;
  private final TableBudget tables;
  private final AtomicLong flushable = new AtomicLong();
  private final AtomicLong largestStored = new AtomicLong();
  private final PartitionTable table = new PartitionTable();
  // Guarded by this: what the table and its partitions have taken, without extents.
  private long taken = TableBudget.SHUFFLE_BYTES;
  private volatile boolean removed;

  /**
   * @param maxRunBytes a run is closed before it grows over this, unless one block does
   * @param tables pays for the tables, until the shuffle is removed
   */
  public Shuffle(ShuffleKey key, int maxRunBytes, TableBudget tables) {
    this.key = key;
    this.maxRunBytes = maxRunBytes;
    this.tables = tables;
    tables.take(taken);
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

  /** Of all its partitions ever, the most bytes that one has had in stores. */
  public long largestStoredBytes() {
    return largestStored.get();
  }

  /** One more than the highest partition that may exist. */
  public int endPartition() {
    return table.end();
  }

  /** A partition, or null if nothing was ever stored in it here. */
  public @Nullable PartitionBuffer find(int partition) {
    return table.find(partition);
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
      made = new PartitionBuffer(partition, maxRunBytes, flushable, largestStored, tables);
      if (removed) {
        made.close();
      } else {
        long cost = TableBudget.PARTITION_BYTES + table.put(made);
        taken += cost;
        tables.take(cost);
      }
    }
    return made;
  }

  /** Partitions that exist. */
  public int partitions() {
    return table.size();
  }

  /** Calls for every partition that exists, in ascending order. */
  public void forEach(Consumer<PartitionBuffer> visitor) {
    table.forEach(visitor);
  }

  /** Hides the shuffle and drops its blocks; again is harmless. */
  public synchronized void remove() {
    removed = true;
    tables.giveBack(taken);
    taken = 0;
    table.forEach(PartitionBuffer::close);
  }
}
