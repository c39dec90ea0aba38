package io.sluice.client;

/**
 * What a reader must find: for each map the winning attempt, and in which of the partitions asked
 * for it has records. The engine knows both. Implementations are immutable, and compact: a bit for
 * each map and partition at most, and no more than a few bytes for each pair that has records.
 */
public interface ExpectedMaps {
  /** Number of maps listed. */
  int size();

  int mapIndex(int position);

  long attemptId(int position);

  /** Position of a map index, or -1 if the engine does not expect it. */
  int positionOf(int mapIndex);

  /** Whether the map at a position has records for a partition. */
  default boolean nonEmpty(int position, int partition) {
    return pair(position, partition) >= 0;
  }

  /**
   * A number for the pair of the map at a position and a partition that it has records for: from 0
   * on, below {@link #pairs}, and another one for each pair; -1 if it has none there.
   */
  long pair(int position, int partition);

  /** Above the numbers of all pairs; for who keeps a bit for each. */
  long pairs();

  /**
   * The first partition, from a given one on, that the map at a position has records for; -1 if
   * there is none.
   */
  int nextNonEmpty(int position, int partition);

  /**
   * An epoch from which on all winners were written: the least of their {@link
   * MapOutput#firstEpoch}. Older sets of a partition than this one knows hold nothing of them.
   */
  default int firstEpoch() {
    return 0;
  }

  /**
   * The newest epoch that any of the winners used; a placement without it is too old to read by.
   */
  default int lastEpoch() {
    return 0;
  }
}
