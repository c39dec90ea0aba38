package org.apache.spark.shuffle.sluice.ui;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.spark.scheduler.MapStatus;

/**
 * How the bytes of a shuffle are spread over its partitions, from map statuses. Those round: each
 * map's bytes for a partition are within a tenth for up to 2,000 partitions, and for more all but
 * the largest are that map's mean. Of many maps only some are looked at. Immutable; some 300 bytes.
 */
final class PartitionSizes {
  /** Sizes looked at for one shuffle: 20 ms of a warm core. */
  static final int LOOKUPS_MAX = 1_000_000;

  /** However many partitions there are. */
  private static final int MAPS_MIN = 8;

  private static final int LARGEST_MAX = 10;

  /** In per mille; the first and the last are the smallest and the largest. */
  static final int[] QUANTILES = {0, 250, 500, 750, 950, 990, 1000};

  private final int mapsSeen;
  private final int maps;
  private final int partitions;
  private final int empty;
  private final long total;
  private final long[] quantiles;
  private final int[] largest;
  private final long[] largestBytes;

  private PartitionSizes(long[] sizes, int mapsSeen, int maps) {
    this.mapsSeen = mapsSeen;
    this.maps = maps;
    this.partitions = sizes.length;
    this.total = Arrays.stream(sizes).sum();
    this.empty = (int) Arrays.stream(sizes).filter(size -> size == 0).count();
    List<Integer> top = largest(sizes);
    this.largest = top.stream().mapToInt(Integer::intValue).toArray();
    this.largestBytes = top.stream().mapToLong(partition -> sizes[partition]).toArray();
    long[] sorted = sizes.clone();
    Arrays.sort(sorted);
    this.quantiles =
        Arrays.stream(QUANTILES)
            .mapToLong(q -> sorted[(int) ((sorted.length - 1L) * q / 1000)])
            .toArray();
  }

  private static List<Integer> largest(long[] sizes) {
    Comparator<Integer> bySize =
        Comparator.<Integer>comparingLong(partition -> sizes[partition])
            .thenComparing(Comparator.reverseOrder());
    PriorityQueue<Integer> top = new PriorityQueue<>(bySize);
    for (int partition = 0; partition < sizes.length; partition++) {
      if (top.size() < LARGEST_MAX) {
        top.add(partition);
      } else if (sizes[partition] > sizes[top.element()]) {
        top.remove();
        top.add(partition);
      }
    }
    List<Integer> result = new ArrayList<>(top);
    result.sort(bySize.reversed());
    return result;
  }

  /**
   * The maps to look at: all, or some that lie evenly.
   *
   * @param statuses of maps that have none yet null
   */
  static MapStatus[] chosen(MapStatus[] statuses, int partitions, int lookupsMax) {
    MapStatus[] known =
        Arrays.stream(statuses).filter(status -> status != null).toArray(MapStatus[]::new);
    int wanted = Math.max(MAPS_MIN, lookupsMax / Math.max(1, partitions));
    if (known.length <= wanted) {
      return known;
    }
    MapStatus[] some = new MapStatus[wanted];
    for (int i = 0; i < wanted; i++) {
      some[i] = known[(int) ((long) i * known.length / wanted)];
    }
    return some;
  }

  /** How many maps have a status. */
  static int known(MapStatus[] statuses) {
    return (int) Arrays.stream(statuses).filter(status -> status != null).count();
  }

  /** Bytes by partition of these maps, and of all others as if they were like them. */
  static long[] sum(MapStatus[] chosen, int maps, int partitions) {
    long[] sizes = new long[partitions];
    for (MapStatus status : chosen) {
      for (int partition = 0; partition < partitions; partition++) {
        sizes[partition] += status.getSizeForBlock(partition);
      }
    }
    if (chosen.length < maps) {
      for (int partition = 0; partition < partitions; partition++) {
        sizes[partition] = Math.round((double) sizes[partition] * maps / chosen.length);
      }
    }
    return sizes;
  }

  /**
   * @param sizes bytes by partition, at least one
   * @param mapsSeen of how many maps they are
   * @param maps how many there are
   */
  static PartitionSizes of(long[] sizes, int mapsSeen, int maps) {
    return new PartitionSizes(sizes, mapsSeen, maps);
  }

  int mapsSeen() {
    return mapsSeen;
  }

  int maps() {
    return maps;
  }

  boolean isSample() {
    return mapsSeen < maps;
  }

  int partitions() {
    return partitions;
  }

  /** Partitions without a byte. */
  int empty() {
    return empty;
  }

  long total() {
    return total;
  }

  /** One for each of {@link #QUANTILES}. */
  long[] quantiles() {
    return quantiles.clone();
  }

  long median() {
    return quantiles[2];
  }

  long max() {
    return quantiles[quantiles.length - 1];
  }

  /** How many times the median the largest is; NaN if half of the partitions are empty. */
  double skew() {
    return median() == 0 ? Double.NaN : (double) max() / median();
  }

  /** The largest partitions, the largest first. */
  int[] largest() {
    return largest.clone();
  }

  /** The bytes of {@link #largest}. */
  long[] largestBytes() {
    return largestBytes.clone();
  }
}
