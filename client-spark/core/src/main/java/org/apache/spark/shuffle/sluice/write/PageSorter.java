package org.apache.spark.shuffle.sluice.write;

import java.util.Arrays;

/**
 * Sorts record entries by partition, stably: a radix sort whose one digit is the partition number,
 * so every entry is read twice and written once whatever the number of records. Used by one thread.
 */
final class PageSorter {
  /** Bits of an entry below its partition number: page and offset of the record. */
  static final int ADDRESS_BITS = 40;

  static final long ADDRESS_MASK = (1L << ADDRESS_BITS) - 1;

  /** Exclusive bound of partition numbers: what the other bits of an entry can hold. */
  static final int MAX_PARTITIONS = 1 << (64 - ADDRESS_BITS);

  private final int partitions;
  // ends[p] is where the records of partition p end, so where those of p + 1 begin.
  private final int[] ends;

  PageSorter(int partitions) {
    if (partitions < 1 || partitions > MAX_PARTITIONS) {
      throw new IllegalArgumentException(partitions + " partitions, at most " + MAX_PARTITIONS);
    }
    this.partitions = partitions;
    this.ends = new int[partitions];
  }

  static long entry(int partition, long address) {
    return ((long) partition << ADDRESS_BITS) | address;
  }

  /**
   * Sorts {@code entries[0, count)} into {@code sorted[0, count)}.
   *
   * @param sorted another array, at least {@code count} long
   */
  void sort(long[] entries, int count, long[] sorted) {
    Arrays.fill(ends, 0);
    for (int i = 0; i < count; i++) {
      ends[partition(entries[i])]++;
    }
    int begin = 0;
    for (int partition = 0; partition < partitions; partition++) {
      int records = ends[partition];
      ends[partition] = begin;
      begin += records;
    }
    // Counting up from where a partition begins leaves the cursor where it ends.
    for (int i = 0; i < count; i++) {
      long entry = entries[i];
      sorted[ends[partition(entry)]++] = entry;
    }
  }

  /** Index in the sorted entries of a partition's first record. */
  int begin(int partition) {
    return partition == 0 ? 0 : ends[partition - 1];
  }

  /** Index behind a partition's last record. */
  int end(int partition) {
    return ends[partition];
  }

  private static int partition(long entry) {
    return (int) (entry >>> ADDRESS_BITS);
  }
}
