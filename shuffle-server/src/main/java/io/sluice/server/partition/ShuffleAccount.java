package io.sluice.server.partition;

import io.sluice.server.quota.ByteQuota;
import io.sluice.server.quota.TableShare;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the partitions of a shuffle count together. Thread-safe.
 *
 * @param flushable bytes in memory that no flush has claimed: every event loop changes it with each
 *     block, a flush reads it with each unit
 * @param largestStored of all partitions ever, the most bytes that one has had in stores
 * @param tables of the application, which pay for those of the shuffle until it is removed
 * @param quota of the application, which pays for the blocks
 */
record ShuffleAccount(
    LongAdder flushable, AtomicLong largestStored, TableShare tables, ByteQuota quota) {
  ShuffleAccount(TableShare tables, ByteQuota quota) {
    this(new LongAdder(), new AtomicLong(), tables, quota);
  }
}
