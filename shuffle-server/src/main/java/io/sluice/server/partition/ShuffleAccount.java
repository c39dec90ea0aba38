package io.sluice.server.partition;

import io.sluice.server.memory.TableBudget;
import io.sluice.server.quota.ByteQuota;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the partitions of a shuffle count together. Thread-safe.
 *
 * @param flushable bytes in memory that no flush has claimed: every event loop changes it with each
 *     block, a flush reads it with each unit
 * @param largestStored of all partitions ever, the most bytes that one has had in stores
 * @param tables pays for the tables, until the shuffle is removed
 * @param quota of the application, which pays for the blocks
 */
record ShuffleAccount(
    LongAdder flushable, AtomicLong largestStored, TableBudget tables, ByteQuota quota) {
  ShuffleAccount(TableBudget tables, ByteQuota quota) {
    this(new LongAdder(), new AtomicLong(), tables, quota);
  }
}
