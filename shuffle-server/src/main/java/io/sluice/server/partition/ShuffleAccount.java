package io.sluice.server.partition;

import io.sluice.server.memory.TableBudget;
import io.sluice.server.quota.ByteQuota;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the partitions of a shuffle count together. Thread-safe.
 *
 * @param flushable bytes in memory that no flush has claimed
 * @param largestStored of all partitions ever, the most bytes that one has had in stores
 * @param tables pays for the tables, until the shuffle is removed
 * @param quota of the application, which pays for the blocks
 */
record ShuffleAccount(
    AtomicLong flushable, AtomicLong largestStored, TableBudget tables, ByteQuota quota) {
  ShuffleAccount(TableBudget tables, ByteQuota quota) {
    this(new AtomicLong(), new AtomicLong(), tables, quota);
  }
}
