package io.sluice.server.fetch;

import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.ExtentPart;
import io.sluice.server.segment.SegmentStore;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The extents of one partition that a stream has not begun to read. Readers do not care in which
 * order extents come. So what is in memory comes first, or what is being read into it for somebody
 * who reads a neighbouring partition; then, or side by side with others who read the same, one
 * extent follows the other as they were written. Those that could not be read before come last: if
 * a block breaks off, nothing that follows it can be sent.
 *
 * <p>What is kept of an extent is a reference and a bit: a partition of 20 GB has five thousand,
 * and a hundred readers. On the connection's event loop.
 */
final class ExtentQueue {
  /** So many are looked at for one that is at hand: as many as there may be windows of a disk. */
  private static final int LOOK = 64;

  private final int partition;
  private final MapRange maps;
  private final List<StoredExtent> extents;
  private final @Nullable Passage passage;
  private BitSet left;
  // Those of them that come last.
  private BitSet doubtful;
  // Where to go on.
  private int next;

  /**
   * @param passage in a convoy, which says where to begin; or null
   */
  ExtentQueue(int partition, MapRange maps, List<StoredExtent> extents, @Nullable Passage passage) {
    this.partition = partition;
    this.maps = maps;
    this.extents = extents;
    this.passage = passage;
    this.left = new BitSet(extents.size());
    this.doubtful = new BitSet();
    for (int place = 0; place < extents.size(); place++) {
      (extents.get(place).doubtful() ? doubtful : left).set(place);
    }
    this.next = passage == null ? 0 : passage.first();
  }

  /** Of no partition. */
  static ExtentQueue empty() {
    return new ExtentQueue(0, MapRange.ALL, List.of(), null);
  }

  int partition() {
    return partition;
  }

  boolean isEmpty() {
    return left.isEmpty() && doubtful.isEmpty();
  }

  /** What is to be read of the next extent. */
  ExtentWork next() {
    if (left.isEmpty()) {
      left = doubtful;
      doubtful = new BitSet();
    }
    int place = passage == null || passage.alone() ? atHand() : -1;
    place = place < 0 ? left.nextSetBit(next) : place;
    place = place < 0 ? left.nextSetBit(0) : place;
    left.clear(place);
    next = place + 1;
    ExtentWork.Leg leg = passage == null ? null : new ExtentWork.Leg(passage, place, isEmpty());
    return ExtentWork.of(partition, extents.get(place), maps, leg);
  }

  /** The first that can be had without an access of the disk, or -1. Asks each store once. */
  private int atHand() {
    IdentityHashMap<SegmentStore, Candidates> byStore = new IdentityHashMap<>(4);
    int looked = 0;
    for (int place = left.nextSetBit(0); place >= 0 && looked < LOOK; looked++) {
      StoredExtent extent = extents.get(place);
      byStore.computeIfAbsent(extent.store(), store -> new Candidates()).add(place, part(extent));
      place = left.nextSetBit(place + 1);
    }
    int first = Integer.MAX_VALUE;
    for (Map.Entry<SegmentStore, Candidates> each : byStore.entrySet()) {
      int found = each.getKey().firstAtHand(each.getValue().parts);
      if (found >= 0) {
        first = Math.min(first, each.getValue().places.get(found));
      }
    }
    return first == Integer.MAX_VALUE ? -1 : first;
  }

  private ExtentPart part(StoredExtent extent) {
    return ExtentWork.part(extent.extent(), maps);
  }

  /** Of one store, with their places among all. */
  private static final class Candidates {
    private final List<Integer> places = new ArrayList<>();
    private final List<ExtentPart> parts = new ArrayList<>();

    void add(int place, ExtentPart part) {
      places.add(place);
      parts.add(part);
    }
  }

  /** What is left of a store comes last for whoever reads the partition from now on. */
  void doubt(SegmentStore store) {
    left.stream()
        .mapToObj(extents::get)
        .filter(e -> e.store() == store)
        .forEach(StoredExtent::doubt);
  }

  /** Gives up on what is left. */
  void close() {
    if (passage != null) {
      passage.leave();
    }
  }
}
