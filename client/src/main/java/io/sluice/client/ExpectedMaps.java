package io.sluice.client;

/**
 * What a reader must find: for each map the winning attempt, and in which of the partitions asked
 * for it has records. The engine knows both. Implementations are immutable and compact: maps x
 * partitions bits at most.
 */
public interface ExpectedMaps {
  /** Number of maps listed. */
  int size();

  int mapIndex(int position);

  long attemptId(int position);

  /** Position of a map index, or -1 if the engine does not expect it. */
  int positionOf(int mapIndex);

  /** Whether the map at a position has records for a partition. */
  boolean nonEmpty(int position, int partition);

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
