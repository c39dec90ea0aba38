package io.sluice.client.fetch;

import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IntSummaryStatistics;
import java.util.List;

/**
 * Which of the expected (map, partition) pairs are complete: blocks 0 … n−1 seen, n−1 flagged LAST;
 * or, of a scope that names blocks, those seen.
 *
 * <p>Most pairs have one block, so there is a bit for each number of a pair ({@link
 * ExpectedMaps#pairs}); only while some but not all blocks of a pair have been seen is there an
 * object for it. What is gone through is pairs that have records: a range of 100,000 partitions and
 * 10,000 maps would be a thousand million steps.
 */
final class Completeness {
  // 2^24 blocks of one map in one partition would be terabytes; more means a writer gone mad.
  private static final int MAX_SEQUENCE = 1 << 24;

  private final ExpectedMaps expected;
  private final int firstPartition;
  private final int width;
  private final int firstMap;
  private final int endMap;
  private final long[] complete;
  private final LongObjectMap<Sequences> partial = new LongObjectHashMap<>();
  private final int[] incomplete;
  private long remaining;

  Completeness(ReadScope scope) {
    this.expected = scope.expected();
    this.firstPartition = scope.firstPartition();
    this.width = scope.endPartition() - scope.firstPartition();
    this.firstMap = scope.firstMap();
    this.endMap = scope.endMap();
    this.complete = new long[Math.toIntExact((expected.pairs() + 63) >>> 6)];
    this.incomplete = new int[width];
    for (int position = 0; position < expected.size(); position++) {
      int partition = nextExpected(position, firstPartition);
      while (partition >= 0) {
        incomplete[partition - firstPartition]++;
        remaining++;
        BitSet wanted = scope.blocksOf(expected.mapIndex(position));
        if (wanted != null) {
          partial.put(expected.pair(position, partition), new SomeSequences(wanted));
        }
        partition = nextExpected(position, partition + 1);
      }
    }
  }

  /** The first partition of the range, from a given one on, that is expected; -1 if none is. */
  private int nextExpected(int position, int from) {
    int map = expected.mapIndex(position);
    int partition = map >= firstMap && map < endMap ? expected.nextNonEmpty(position, from) : -1;
    return partition < firstPartition + width ? partition : -1;
  }

  /** Whether anything is expected of the map at a position in a partition of the range. */
  boolean isExpected(int position, int partition) {
    int map = expected.mapIndex(position);
    return map >= firstMap && map < endMap && expected.nonEmpty(position, partition);
  }

  /**
   * Counts a block of an expected pair.
   *
   * @return false if it has been seen before, or is none of those that the scope names
   */
  boolean add(int position, int partition, int sequence, boolean last) {
    long pair = expected.pair(position, partition);
    if (isComplete(pair)) {
      return false;
    }
    Sequences seen = partial.get(pair);
    if (seen == null) {
      if (sequence == 0 && last) {
        completed(pair, partition);
        return true;
      }
      seen = new AllSequences();
      partial.put(pair, seen);
    }
    if (sequence > MAX_SEQUENCE) {
      throw new SluiceException(
          ErrorCode.INTERNAL_ERROR,
          "block number " + sequence + " of map " + expected.mapIndex(position));
    }
    if (!seen.add(sequence, last)) {
      return false;
    }
    if (seen.isComplete()) {
      partial.remove(pair);
      completed(pair, partition);
    }
    return true;
  }

  private boolean isComplete(long pair) {
    return (complete[(int) (pair >>> 6)] & (1L << pair)) != 0;
  }

  private void completed(long pair, int partition) {
    complete[(int) (pair >>> 6)] |= 1L << pair;
    incomplete[partition - firstPartition]--;
    remaining--;
  }

  boolean isComplete() {
    return remaining == 0;
  }

  /** Whether a partition of the range lacks anything. */
  boolean isIncomplete(int partition) {
    return incomplete[partition - firstPartition] > 0;
  }

  /** Every map with an incomplete partition, once, with the first such partition. */
  List<MissingMap> missing() {
    List<MissingMap> missing = new ArrayList<>();
    for (int position = 0; position < expected.size(); position++) {
      int partition = nextMissing(position, firstPartition);
      if (partition >= 0) {
        missing.add(
            new MissingMap(expected.mapIndex(position), expected.attemptId(position), partition));
      }
    }
    return missing;
  }

  /**
   * The maps of which something is missing in any of some partitions, at least one.
   *
   * @param columns positions of incomplete partitions in the range
   */
  IntSummaryStatistics missingMaps(int[] columns) {
    BitSet concerned = new BitSet(width);
    for (int column : columns) {
      concerned.set(column);
    }
    IntSummaryStatistics maps = new IntSummaryStatistics();
    for (int position = 0; position < expected.size(); position++) {
      int partition = nextMissing(position, firstPartition);
      while (partition >= 0 && !concerned.get(partition - firstPartition)) {
        partition = nextMissing(position, partition + 1);
      }
      if (partition >= 0) {
        maps.accept(expected.mapIndex(position));
      }
    }
    return maps;
  }

  /** The first partition of the range, from a given one on, that lacks something; -1 if none. */
  private int nextMissing(int position, int from) {
    int partition = nextExpected(position, from);
    while (partition >= 0 && isComplete(expected.pair(position, partition))) {
      partition = nextExpected(position, partition + 1);
    }
    return partition;
  }

  /** The lowest block number not seen of a map that {@link #missing} named. */
  int firstAbsent(MissingMap map) {
    Sequences seen =
        partial.get(expected.pair(expected.positionOf(map.mapIndex()), map.partition()));
    return seen == null ? 0 : seen.firstAbsent();
  }

  /** The block numbers of one pair. */
  private interface Sequences {
    /** False if it has come before, or is not wanted. */
    boolean add(int sequence, boolean isLast);

    boolean isComplete();

    int firstAbsent();
  }

  /** As many as there are. */
  private static final class AllSequences implements Sequences {
    private final BitSet seen = new BitSet();
    private int count;
    private int last = -1;

    @Override
    public boolean add(int sequence, boolean isLast) {
      if (seen.get(sequence)) {
        return false;
      }
      seen.set(sequence);
      count++;
      if (isLast) {
        last = Math.max(last, sequence);
      }
      return true;
    }

    /** Never true if there is a block behind the last one: then something is badly wrong. */
    @Override
    public boolean isComplete() {
      return count == last + 1 && seen.length() == count;
    }

    @Override
    public int firstAbsent() {
      return seen.nextClearBit(0);
    }
  }

  /** Those of a scope that names them. */
  private static final class SomeSequences implements Sequences {
    private final BitSet absent;

    SomeSequences(BitSet wanted) {
      this.absent = (BitSet) wanted.clone();
    }

    @Override
    public boolean add(int sequence, boolean isLast) {
      boolean wanted = absent.get(sequence);
      absent.clear(sequence);
      return wanted;
    }

    @Override
    public boolean isComplete() {
      return absent.isEmpty();
    }

    @Override
    public int firstAbsent() {
      return absent.nextSetBit(0);
    }
  }
}
