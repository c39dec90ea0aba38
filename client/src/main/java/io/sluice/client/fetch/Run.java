package io.sluice.client.fetch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What one stream is to bring: partitions between which the server has nothing else that the reader
 * gets elsewhere. By position in the reader's range, never empty. Immutable.
 *
 * <p>A request names a range, and the server sends all that it holds of it. Without replicas it
 * holds nothing of what is between the partitions it is asked for, and they are one run. With
 * replicas it also holds what another member of the set is asked for, and would send that again.
 */
final class Run {
  private final int first;
  // From `first` on: a reader of many partitions has many short runs.
  private final BitSet offsets;

  private Run(int first, BitSet offsets) {
    this.first = first;
    this.offsets = offsets;
  }

  /**
   * Cuts what a server is asked for into runs, in order.
   *
   * @param wanted positions that the server is asked for
   * @param held positions that the server may hold something of, these among them
   */
  static List<Run> of(BitSet wanted, BitSet held) {
    List<Run> runs = new ArrayList<>();
    Run run = null;
    int previous = -1;
    for (int at = wanted.nextSetBit(0); at >= 0; at = wanted.nextSetBit(at + 1)) {
      if (run == null || held.nextSetBit(previous + 1) < at) {
        run = new Run(at, new BitSet());
        runs.add(run);
      }
      run.offsets.set(at - run.first);
      previous = at;
    }
    return runs;
  }

  int first() {
    return first;
  }

  boolean contains(int position) {
    return position >= first && offsets.get(position - first);
  }

  /** In order. */
  IntStream positions() {
    return offsets.stream().map(offset -> first + offset);
  }
}
