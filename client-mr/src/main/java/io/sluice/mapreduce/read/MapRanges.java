package io.sluice.mapreduce.read;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * The maps of a batch as a few ranges of map indices, because servers are asked for ranges. Where
 * there are too many, the smallest gaps are asked for too, and what comes of them is dropped.
 */
final class MapRanges {
  private MapRanges() {}

  /** A range, end exclusive. */
  static final class Range {
    final int first;
    final int end;

    Range(int first, int end) {
      this.first = first;
      this.end = end;
    }
  }

  /**
   * Ranges that cover some maps, ascending, and at most as many others.
   *
   * @param most how many there may be, at least 1; more only where fewer would cover too many
   *     others
   */
  static List<Range> of(BitSet maps, int most) {
    List<Range> exact = new ArrayList<>();
    for (int first = maps.nextSetBit(0); first >= 0; ) {
      int end = maps.nextClearBit(first);
      exact.add(new Range(first, end));
      first = maps.nextSetBit(end);
    }
    if (exact.size() <= most) {
      return exact;
    }
    List<Integer> splits = new ArrayList<>();
    for (int i = 1; i < exact.size(); i++) {
      splits.add(i);
    }
    splits.sort(Comparator.comparingInt((Integer i) -> -gap(exact, i)));
    int splitsKept = most - 1;
    int bridged = 0;
    for (int i : splits.subList(splitsKept, splits.size())) {
      bridged += gap(exact, i);
    }
    // Nothing would be gained by a request less that brings more than all that is wanted.
    while (bridged > maps.cardinality()) {
      bridged -= gap(exact, splits.get(splitsKept++));
    }
    List<Integer> kept = new ArrayList<>(splits.subList(0, splitsKept));
    kept.sort(Comparator.naturalOrder());
    kept.add(exact.size());
    List<Range> ranges = new ArrayList<>();
    int from = 0;
    for (int to : kept) {
      ranges.add(new Range(exact.get(from).first, exact.get(to - 1).end));
      from = to;
    }
    return ranges;
  }

  /** How many maps lie between a range and the one before. */
  private static int gap(List<Range> ranges, int index) {
    return ranges.get(index).first - ranges.get(index - 1).end;
  }
}
