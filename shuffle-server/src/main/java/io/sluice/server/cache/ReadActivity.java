package io.sluice.server.cache;

/**
 * What reading of a disk has come to since start.
 *
 * @param requests by readers
 * @param requestedBytes by readers; loaded bytes over these is the read amplification
 * @param hits parts of requests that were in memory already
 * @param hitBytes of these
 * @param copiedBytes out of windows, for readers who took no lease or had none
 * @param loads accesses to the disk
 * @param loadedBytes by these
 */
public record ReadActivity(
    long requests,
    long requestedBytes,
    long hits,
    long hitBytes,
    long copiedBytes,
    long loads,
    long loadedBytes,
    Now now) {
  /** Nothing was ever read. */
  public static final ReadActivity NONE =
      new ReadActivity(0, 0, 0, 0, 0, 0, 0, new Now(0, 0, 0, 0, 0, 0));

  /**
   * At this moment.
   *
   * @param requests waiting or under way
   * @param loads under way
   * @param leasedBytes memory that readers keep in place, in blocks of the largest window
   * @param cachedBytes memory in windows
   * @param cacheBytes memory that windows may take
   * @param prefetchBytes how much is read around what is wanted
   */
  public record Now(
      long requests,
      long loads,
      long leasedBytes,
      long cachedBytes,
      long cacheBytes,
      long prefetchBytes) {}
}
