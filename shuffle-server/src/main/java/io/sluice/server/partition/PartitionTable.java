package io.sluice.server.partition;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Partitions by number, in pages made on demand, so that the highest number costs no more than the
 * directory: 16 KiB for {@value Shuffle#MAX_PARTITIONS} partitions. Lookups take no lock; {@link
 * #put} is called under the shuffle's.
 */
final class PartitionTable {
  private static final int PAGE = PartitionPage.SIZE;
  private static final int REFERENCE_BYTES = 4;

  private volatile AtomicReferenceArray<@Nullable PartitionPage> pages =
      new AtomicReferenceArray<>(1);
  private final AtomicInteger size = new AtomicInteger();

  @Nullable PartitionBuffer find(int partition) {
    var now = pages;
    int page = partition / PAGE;
    var found = page < now.length() ? now.get(page) : null;
    return found == null ? null : found.find(partition);
  }

  /** The number itself if its page is there, else the first one of the next page. */
  int afterGap(int partition) {
    var now = pages;
    int page = partition / PAGE;
    boolean there = page < now.length() && now.get(page) != null;
    return there ? partition : (page + 1) * PAGE;
  }

  /** One more than the highest number that could be there without growing. */
  int end() {
    return pages.length() * PAGE;
  }

  int size() {
    return size.get();
  }

  /**
   * Makes room for a partition.
   *
   * @return bytes of heap by which the table has grown
   */
  int grow(int partition) {
    int index = partition / PAGE;
    int grown = growDirectory(index);
    if (pages.get(index) == null) {
      pages.set(index, new PartitionPage(index * PAGE));
      grown += PartitionPage.HEAP_BYTES;
    }
    return grown;
  }

  /** What a table with these partitions, and no others, has grown by since it was made. */
  static long heapBytes(BitSet partitions) {
    int pages = 0;
    for (int next = partitions.nextSetBit(0); next >= 0; ) {
      pages++;
      next = partitions.nextSetBit((next / PAGE + 1) * PAGE);
    }
    int last = Math.max(0, partitions.length() - 1) / PAGE;
    return (long) pages * PartitionPage.HEAP_BYTES
        + (long) (directoryFor(last) - 1) * REFERENCE_BYTES;
  }

  /** How long a directory is that has this page. */
  private static int directoryFor(int page) {
    return Math.max(1, Integer.highestOneBit(page) * 2);
  }

  /** The page of a partition that there is room for. */
  PartitionPage page(int partition) {
    return requireNonNull(pages.get(partition / PAGE));
  }

  /** Adds a partition that is not there and that there is room for. */
  void put(PartitionBuffer made) {
    page(made.partition()).put(made);
    size.incrementAndGet();
  }

  private int growDirectory(int index) {
    var old = pages;
    if (index < old.length()) {
      return 0;
    }
    var larger = new AtomicReferenceArray<@Nullable PartitionPage>(directoryFor(index));
    for (int i = 0; i < old.length(); i++) {
      larger.set(i, old.get(i));
    }
    pages = larger;
    return (larger.length() - old.length()) * REFERENCE_BYTES;
  }

  /** All partitions there are, in ascending order. */
  void forEach(Consumer<PartitionBuffer> visitor) {
    var now = pages;
    for (int i = 0; i < now.length(); i++) {
      PartitionPage page = now.get(i);
      if (page != null) {
        page.forEach(visitor);
      }
    }
  }

  /** What could be claimed; a glance without locks. */
  ClaimableBytes claimable(@Nullable Predicate<PartitionBuffer> wanted) {
    var now = pages;
    List<PartitionPage> there = new ArrayList<>(now.length());
    for (int i = 0; i < now.length(); i++) {
      PartitionPage page = now.get(i);
      if (page != null) {
        there.add(page);
      }
    }
    return new ClaimableBytes(there, wanted);
  }
}
