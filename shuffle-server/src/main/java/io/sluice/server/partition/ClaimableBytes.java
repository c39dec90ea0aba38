package io.sluice.server.partition;

import java.util.List;

/**
 * What flushes could claim of each partition of a shuffle, at a glance: page after page, without
 * the gaps between pages, so that a shuffle of few partitions with large numbers stays small. One
 * thread's.
 */
public final class ClaimableBytes {
  private final int[] firsts;
  private final int[] bytes;

  private ClaimableBytes(int[] firsts, int[] bytes) {
    this.firsts = firsts;
    this.bytes = bytes;
  }

  static ClaimableBytes of(List<PartitionPage> pages) {
    int[] firsts = new int[pages.size()];
    int[] bytes = new int[pages.size() * PartitionPage.SIZE];
    for (int i = 0; i < firsts.length; i++) {
      firsts[i] = pages.get(i).first();
      pages.get(i).copyClaimable(bytes, i * PartitionPage.SIZE);
    }
    return new ClaimableBytes(firsts, bytes);
  }

  /** In ascending order of partitions; 0 where there is none. The caller may change them. */
  public int[] bytes() {
    return bytes;
  }

  /** The number of the partition that a place in {@link #bytes} is of. */
  public int partition(int place) {
    return firsts[place / PartitionPage.SIZE] + place % PartitionPage.SIZE;
  }
}
