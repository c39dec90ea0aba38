package io.sluice.transport;

/**
 * One fetch: partitions {@code [firstPartition, endPartition)} of a shuffle, restricted to maps
 * {@code [firstMap, endMap)}. The answer carries, for each partition in any order and interleaving,
 * the concatenation of its blocks; within one partition blocks come whole and back to back.
 * Immutable.
 */
public final class FetchRequest {
  private final int stream;
  private final int handle;
  private final int firstPartition;
  private final int endPartition;
  private final int firstMap;
  private final int endMap;
  private final long credit;

  public FetchRequest(
      int stream,
      int handle,
      int firstPartition,
      int endPartition,
      int firstMap,
      int endMap,
      long credit) {
    this.stream = stream;
    this.handle = handle;
    this.firstPartition = firstPartition;
    this.endPartition = endPartition;
    this.firstMap = firstMap;
    this.endMap = endMap;
    this.credit = credit;
  }

  /** Chosen by the reader, greater than every stream so far on the connection; at least 0. */
  public int stream() {
    return stream;
  }

  public int handle() {
    return handle;
  }

  public int firstPartition() {
    return firstPartition;
  }

  public int endPartition() {
    return endPartition;
  }

  public int firstMap() {
    return firstMap;
  }

  /** Integer.MAX_VALUE for all. */
  public int endMap() {
    return endMap;
  }

  /** Bytes the server may send before the reader gives more. */
  public long credit() {
    return credit;
  }
}
