package io.sluice.server.partition;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What flushes could claim of the partitions of a shuffle, at a glance. Partitions come in pages of
 * neighbours; there are no gaps where there is no page, so that a shuffle of few partitions with
 * large numbers stays small. One thread's.
 */
public final class ClaimableBytes {
  private final List<PartitionPage> pages;
  private final @Nullable Predicate<PartitionBuffer> wanted;
  private final long[] sums;

  /**
   * @param wanted what counts; null for everything
   */
  ClaimableBytes(List<PartitionPage> pages, @Nullable Predicate<PartitionBuffer> wanted) {
    this.pages = pages;
    this.wanted = wanted;
    this.sums = pages.stream().mapToLong(page -> page.sumClaimable(wanted)).toArray();
  }

  /** The sum of each page, in ascending order of partitions. */
  public long[] pages() {
    return sums;
  }

  /** Of each partition of some pages, in ascending order; 0 where there is none. */
  public long[] partitions(int firstPage, int endPage) {
    long[] bytes = new long[(endPage - firstPage) * PartitionPage.SIZE];
    for (int page = firstPage; page < endPage; page++) {
      pages.get(page).copyClaimable(wanted, bytes, (page - firstPage) * PartitionPage.SIZE);
    }
    return bytes;
  }

  /** The number of the partition that a place in {@link #partitions} is of. */
  public int partition(int firstPage, int place) {
    PartitionPage page = pages.get(firstPage + place / PartitionPage.SIZE);
    return page.first() + place % PartitionPage.SIZE;
  }
}
