package io.sluice.server.segment;

import io.sluice.server.disk.Disk;
import java.util.Arrays;

/**
 * Where the units of a segment end, so that nothing is read ahead across a unit's edge: four bytes
 * a unit, a MiB for 1 TiB of units of 4 MiB. Thread-safe.
 */
final class UnitEnds {
  private static final int INITIAL = 4;

  // In pages, ascending: a segment has fewer than 2^31 of them.
  private int[] pages = new int[INITIAL];
  private int size;

  /** A unit that ends beyond all others. */
  synchronized void add(long end) {
    if (size == pages.length) {
      pages = Arrays.copyOf(pages, size * 2);
    }
    pages[size++] = (int) (end / Disk.ALIGNMENT);
  }

  /** End of the last unit; 0 if there is none. */
  synchronized long last() {
    return size == 0 ? 0 : end(size - 1);
  }

  /** End of the last unit that ends at or before a position; 0 if none does. */
  synchronized long startOf(long position) {
    int next = after(position);
    return next == 0 ? 0 : end(next - 1);
  }

  /** End of the unit that a position lies in. */
  synchronized long endOf(long position) {
    return end(Math.min(after(position), size - 1));
  }

  private int after(long position) {
    int found = Arrays.binarySearch(pages, 0, size, (int) (position / Disk.ALIGNMENT));
    return found >= 0 ? found + 1 : -found - 1;
  }

  private long end(int unit) {
    return (long) pages[unit] * Disk.ALIGNMENT;
  }
}
