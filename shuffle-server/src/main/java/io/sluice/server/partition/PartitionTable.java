package io.sluice.server.partition;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Partitions by number, in pages made on demand, so that the highest number costs no more than the
 * directory: 16 KiB for {@value Shuffle#MAX_PARTITIONS} partitions. Lookups take no lock; {@link
 * #put} is called under the shuffle's.
 */
final class PartitionTable {
  private static final int PAGE = 256;
  private static final int REFERENCE_BYTES = 4;

  private volatile AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable PartitionBuffer>>
      pages = new AtomicReferenceArray<>(1);
  private final AtomicInteger size = new AtomicInteger();

  @Nullable PartitionBuffer find(int partition) {
    var now = pages;
    int page = partition / PAGE;
    var found = page < now.length() ? now.get(page) : null;
    return found == null ? null : found.get(partition % PAGE);
  }

  /** One more than the highest number that could be there without growing. */
  int end() {
    return pages.length() * PAGE;
  }

  int size() {
    return size.get();
  }

  /**
   * Adds a partition that is not there.
   *
   * @return bytes of heap by which the table itself has grown
   */
  int put(PartitionBuffer made) {
    int index = made.partition() / PAGE;
    int grown = grow(index);
    var page = pages.get(index);
    if (page == null) {
      page = new AtomicReferenceArray<>(PAGE);
      pages.set(index, page);
      grown += PAGE * REFERENCE_BYTES;
    }
    page.set(made.partition() % PAGE, made);
    size.incrementAndGet();
    return grown;
  }

  private int grow(int index) {
    var old = pages;
    if (index < old.length()) {
      return 0;
    }
    var larger =
        new AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable PartitionBuffer>>(
            Integer.highestOneBit(index) * 2);
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
      var page = now.get(i);
      for (int j = 0; page != null && j < PAGE; j++) {
        PartitionBuffer partition = page.get(j);
        if (partition != null) {
          visitor.accept(partition);
        }
      }
    }
  }
}
