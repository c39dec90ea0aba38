package io.sluice.server.flush;

import io.sluice.server.partition.ClaimableBytes;
import org.jspecify.annotations.Nullable;

/** Which partitions of a shuffle make the best unit. Pure. */
final class FlushPlanner {
  private FlushPlanner() {}

  /** Partitions {@code [first, end)} that hold so many bytes to flush. */
  record Range(int first, int end, long bytes) {}

  /**
   * The neighbouring partitions to flush: few that together fill a unit. First the fewest pages are
   * found, then, in these and the ones beside them, the fewest partitions, so that a look at 20,000
   * partitions costs about as much as one at a thousand.
   *
   * @param unitBytes what fills a unit
   * @param underfilled whether, where nothing fills a unit, all that there is will do
   */
  static @Nullable Range plan(ClaimableBytes claimable, int unitBytes, boolean underfilled) {
    Range pages = plan(claimable.pages(), unitBytes, underfilled);
    if (pages == null) {
      return null;
    }
    int first = Math.max(0, pages.first - 1);
    int end = Math.min(claimable.pages().length, pages.end + 1);
    Range places = plan(claimable.partitions(first, end), unitBytes, underfilled);
    return places == null
        ? null
        : new Range(
            claimable.partition(first, places.first),
            claimable.partition(first, places.end - 1) + 1,
            places.bytes);
  }

  /**
   * The range of the fewest neighbours that together fill a unit; among equals the one with the
   * most bytes. One that fills a unit alone is its own range.
   *
   * @param flushable bytes of each that could be flushed now
   */
  static @Nullable Range plan(long[] flushable, int unitBytes, boolean underfilled) {
    Range best = null;
    int first = 0;
    long sum = 0;
    for (int end = 1; end <= flushable.length; end++) {
      sum += flushable[end - 1];
      while (sum - flushable[first] >= unitBytes || (flushable[first] == 0 && first < end - 1)) {
        sum -= flushable[first];
        first++;
      }
      if (sum >= unitBytes && betterThan(best, first, end, sum)) {
        best = new Range(first, end, sum);
      }
    }
    return best == null && underfilled ? everything(flushable) : best;
  }

  private static boolean betterThan(@Nullable Range best, int first, int end, long bytes) {
    if (best == null) {
      return true;
    }
    int fewer = (best.end - best.first) - (end - first);
    return fewer > 0 || (fewer == 0 && bytes > best.bytes);
  }

  private static @Nullable Range everything(long[] flushable) {
    int first = -1;
    int end = 0;
    long sum = 0;
    for (int i = 0; i < flushable.length; i++) {
      if (flushable[i] > 0) {
        first = first < 0 ? i : first;
        end = i + 1;
        sum += flushable[i];
      }
    }
    return first < 0 ? null : new Range(first, end, sum);
  }
}
