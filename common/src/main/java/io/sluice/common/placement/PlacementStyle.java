package io.sluice.common.placement;

/** How the partitions of a shuffle are dealt out to the servers that may have them. */
public enum PlacementStyle {
  /** To all servers, by what each has free: the largest shuffle is read and written fastest. */
  BALANCED,
  /**
   * To few servers: fewer connections and fuller frames for small shuffles in large clusters. Over
   * many shuffles as even as {@link #BALANCED}.
   */
  PACKED,
  /**
   * To servers of one zone, so that no byte crosses zones: the application's, or else one for all
   * of its shuffles. A zone that is lost takes every copy with it.
   */
  ZONE_LOCAL
}
