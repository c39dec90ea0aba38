package io.sluice.server.segment;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How much of each map attempt of a shuffle lies on disks, and so which attempts are there whole,
 * as far as counting tells: as many blocks as the numbers of their last blocks say, summed over
 * partitions.
 *
 * <p>Each partition that has its last block and lacks others makes the sum too large, each that
 * lacks its last block too small. Whoever knows how many partitions an attempt wrote here compares
 * {@code lasts} with that: then none is without its last block, so nothing cancels out but
 * duplicates, which retries may leave. Those are why this is a hint, on which effort may depend and
 * rows may not: readers prove completeness block by block. What is not counted makes an attempt
 * look less whole, never more.
 *
 * <p>Some 40 to 70 bytes an attempt. Used by one thread at a time.
 */
public final class MapTally {
  private final AttemptIndex index;
  private int[] lasts = new int[0];
  // Blocks there, less those that the last blocks say there are.
  private long[] surplus = new long[0];
  // Numbers in order; null since something was added.
  private int @Nullable [] order;

  /**
   * With nothing in it.
   *
   * @param max attempts that are told apart; those met later count as not there
   */
  public MapTally(int max) {
    index = new AttemptIndex(max);
  }

  /** Shown attempts that are whole. */
  @FunctionalInterface
  public interface WholeVisitor {
    /**
     * @param lasts partitions that the attempt has blocks of here, at least 1
     * @return false to be shown no more
     */
    boolean whole(int mapIndex, long attempt, int lasts);
  }

  /**
   * Adds blocks of one attempt.
   *
   * @param lastBlocks how many of them are the last of their partition
   * @param sum of the sequence numbers of these, each plus 1
   */
  public void add(int mapIndex, long attempt, int blocks, int lastBlocks, long sum) {
    add(mapIndex, attempt, lastBlocks, blocks - sum);
  }

  private void add(int mapIndex, long attempt, int lastBlocks, long difference) {
    int at = index.number(mapIndex, attempt);
    if (at == AttemptIndex.NONE) {
      return;
    }
    if (at >= lasts.length) {
      lasts = Arrays.copyOf(lasts, index.capacity());
      surplus = Arrays.copyOf(surplus, index.capacity());
    }
    lasts[at] += lastBlocks;
    surplus[at] += difference;
    order = null;
  }

  /** Adds what another one has, and leaves it as it is. */
  public void add(MapTally other) {
    for (int at = 0; at < other.index.size(); at++) {
      add(other.index.map(at), other.index.attempt(at), other.lasts[at], other.surplus[at]);
    }
  }

  /** Attempts that something is known of, whole or not. */
  public int attempts() {
    return index.size();
  }

  /** Shows attempts that are whole, from a map on, in the order of maps, then attempts. */
  public void forEachWhole(int firstMap, WholeVisitor visitor) {
    int[] numbers = order;
    if (numbers == null) {
      numbers = index.inOrder();
      order = numbers;
    }
    boolean goOn = true;
    for (int i = firstAt(numbers, firstMap); i < numbers.length && goOn; i++) {
      int at = numbers[i];
      if (surplus[at] == 0 && lasts[at] > 0) {
        goOn = visitor.whole(index.map(at), index.attempt(at), lasts[at]);
      }
    }
  }

  private int firstAt(int[] numbers, int firstMap) {
    int low = 0;
    int high = numbers.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (index.map(numbers[middle]) < firstMap) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
