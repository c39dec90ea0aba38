package io.sluice.server.partition;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.quota.ByteQuota;
import io.sluice.server.quota.QuotaRefusal;
import io.sluice.server.quota.TableShare;
import io.sluice.server.segment.Extent;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of one shuffle that this server has blocks of, made as they are first pushed to.
 * Lookups take no lock; making a partition and closing take the shuffle's.
 */
public final class Shuffle {
  /** Partition numbers from here on are refused: above any engine's real shuffle. */
  public static final int MAX_PARTITIONS = Extent.MAX_PARTITIONS;

  private final ShuffleKey key;
  private final int maxRunBytes;
  private final ShuffleAccount account;
  private final PartitionTable table = new PartitionTable();
  // Guarded by this: what the table and its partitions have taken, without extents.
  private long taken = TableBudget.SHUFFLE_BYTES;
  private volatile boolean removed;
  // Whether a partition was refused blocks for what it holds itself. Changed under this.
  private volatile boolean full;

  /**
   * @param maxRunBytes a run is closed before it grows over this, unless one block does
   * @param tables of the application, which pay for those of the shuffle until it is removed
   * @param quota of the application, which pays for the blocks
   */
  public Shuffle(ShuffleKey key, int maxRunBytes, TableShare tables, ByteQuota quota) {
    this.key = key;
    this.maxRunBytes = maxRunBytes;
    this.account = new ShuffleAccount(tables, quota);
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
    return account.flushable().sum();
  }

  /** Of all its partitions ever, the most bytes that one has had in stores. */
  public long largestStoredBytes() {
    return account.largestStored().get();
  }

  /** One more than the highest partition that may exist. */
  public int endPartition() {
    return table.end();
  }

  /**
   * Where to go on looking for partitions: the number given, or a higher one if no partition from
   * there on up to that one exists. Goes at most 256 further, so a loop over a million partitions
   * that are not there has 4,096 steps.
   */
  public int afterGap(int partition) {
    return table.afterGap(partition);
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
      long cost = TableBudget.PARTITION_BYTES + table.grow(partition);
      made = new PartitionBuffer(partition, table.page(partition), maxRunBytes, account);
      if (removed) {
        made.close();
      } else {
        table.put(made);
        taken += cost;
        account.tables().take(cost);
      }
    }
    return made;
  }

  /**
   * Why no more may be stored in a partition, or null if it may. A glance without locks: every
   * event loop may overstep by one block.
   */
  public @Nullable QuotaRefusal refusal(int partition) {
    ByteQuota quota = account.quota();
    if (quota.exhausted()) {
      return quota.refusal(key.shuffleId());
    }
    if (account.tables().exhausted()) {
      return account.tables().refusal(key.shuffleId());
    }
    if (!quota.limitsPartitions()) {
      return null;
    }
    PartitionBuffer buffer = find(partition);
    long held = buffer == null ? 0 : buffer.heldBytes();
    if (!quota.partitionFull(held)) {
      return null;
    }
    QuotaRefusal refusal = quota.partitionRefusal(key.shuffleId(), partition, held);
    if (!full) {
      becomeFull(refusal);
    }
    return refusal;
  }

  private synchronized void becomeFull(QuotaRefusal refusal) {
    if (!full && !removed) {
      full = true;
      account.quota().shuffleBecameFull(refusal);
    }
  }

  /** Partitions that exist. */
  public int partitions() {
    return table.size();
  }

  /**
   * What could be claimed of its partitions; a glance without locks.
   *
   * @param wanted which of them; null for all
   */
  public ClaimableBytes claimable(@Nullable Predicate<PartitionBuffer> wanted) {
    return table.claimable(wanted);
  }

  /** Calls for every partition that exists, in ascending order. */
  public void forEach(Consumer<PartitionBuffer> visitor) {
    table.forEach(visitor);
  }

  /** Hides the shuffle and drops its blocks; again is harmless. */
  public synchronized void remove() {
    removed = true;
    if (full) {
      full = false;
      account.quota().fullShuffleWent();
    }
    account.tables().giveBack(taken);
    taken = 0;
    table.forEach(PartitionBuffer::close);
  }
}
