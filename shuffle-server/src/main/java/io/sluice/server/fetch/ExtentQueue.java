package io.sluice.server.fetch;

import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.StoredExtent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The extents of one partition that a stream has not looked at yet. What is kept of one is a
 * reference: a partition of 20 GB has five thousand, and a hundred readers. On the connection's
 * event loop.
 */
final class ExtentQueue {
  private final int partition;
  private final MapRange maps;
  private final List<StoredExtent> extents;
  private final @Nullable Passage passage;
  private int taken;

  /**
   * @param passage in a convoy, which says where to begin; or null
   */
  ExtentQueue(
      int partition, MapRange maps, List<StoredExtent> extents, @Nullable Passage passage) {
    this.partition = partition;
    this.maps = maps;
    this.extents = extents;
    this.passage = passage;
  }

  /** Of no partition. */
  static ExtentQueue empty() {
    return new ExtentQueue(0, MapRange.ALL, List.of(), null);
  }

  boolean isEmpty() {
    return taken == extents.size();
  }

  /** What is to be read of the next extent. */
  ExtentWork next() {
    int first = passage == null ? 0 : passage.first();
    int place = (first + taken++) % extents.size();
    ExtentWork work = ExtentWork.of(partition, extents.get(place), maps);
    if (passage != null) {
      work.travel(passage, place, isEmpty());
    }
    return work;
  }

  /** Gives up on what is left. */
  void close() {
    if (passage != null) {
      passage.leave();
    }
  }
}
