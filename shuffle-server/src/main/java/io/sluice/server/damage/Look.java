package io.sluice.server.damage;

import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.UnitRange;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What one store has of a partition that was complained of, to be looked through; and, where one of
 * these extents is damaged, what else lies in its unit. A unit whose bytes are gone is damage in
 * all of its partitions, and one reader may want them all. Of its line, which hands it from thread
 * to thread.
 */
final class Look {
  /** After so many failed reads in a row a disk is given up: each may take seconds. */
  private static final int MAX_FAILURES = 3;

  private final Object connection;
  private final Shuffle shuffle;
  private final PartitionBuffer partition;
  private final SegmentStore store;
  private final PendingPartitions pending;
  private final ArrayDeque<Item> left = new ArrayDeque<>();
  private @Nullable Item current;
  private boolean listed;
  private boolean repeated;
  private int failures;
  private int extents;
  private int damaged;
  private int unread;

  /** An extent and whose it is. */
  record Item(PartitionBuffer partition, StoredExtent extent) {}

  Look(
      Object connection,
      Shuffle shuffle,
      PartitionBuffer partition,
      SegmentStore store,
      PendingPartitions pending) {
    this.connection = connection;
    this.shuffle = shuffle;
    this.partition = partition;
    this.store = store;
    this.pending = pending;
    pending.hold(partition);
  }

  Object connection() {
    return connection;
  }

  Shuffle shuffle() {
    return shuffle;
  }

  Object application() {
    return shuffle.key().application();
  }

  PartitionBuffer partition() {
    return partition;
  }

  /** Somebody complains again: what has come since is looked at too. */
  void repeat() {
    repeated = true;
  }

  /** What is to be read next, or null if there is nothing. */
  @Nullable Item next(long now) {
    if (shuffle.removed()) {
      return null;
    }
    if (!listed) {
      listed = true;
      partition
          .extents(extent -> extent.store() == store && !extent.lookedThroughLately(now))
          .forEach(extent -> left.add(new Item(partition, extent)));
    }
    for (Item item = left.poll(); item != null; item = left.poll()) {
      current = item;
      if (!item.extent().lookedThroughLately(now)) {
        extents++;
        return item;
      }
      done();
    }
    return null;
  }

  /** What was read last was looked at, or will not be. */
  void done() {
    Item item = current;
    if (item != null) {
      current = null;
      release(item);
    }
  }

  private void release(Item item) {
    if (item.partition() != partition) {
      pending.release(item.partition());
    }
  }

  void readable() {
    failures = 0;
  }

  void unreadable() {
    failures++;
    unread++;
  }

  /** An extent was damaged: what else lies in its unit comes next. */
  void damaged(Item item, long now) {
    damaged++;
    if (item.partition() != partition) {
      // All of that unit is looked at already.
      return;
    }
    Extent extent = item.extent().extent();
    UnitRange unit = store.unitOf(extent);
    shuffle.forEach(
        other -> {
          if (other != partition) {
            other
                .extents(
                    each ->
                        each.store() == store
                            && each.extent().segment() == extent.segment()
                            && unit.contains(each.extent().offset())
                            && !each.lookedThroughLately(now))
                .forEach(each -> comesNext(other, each));
          }
        });
  }

  private void comesNext(PartitionBuffer other, StoredExtent extent) {
    pending.hold(other);
    left.addFirst(new Item(other, extent));
  }

  /** Whether nothing more is to be looked at. */
  boolean isOver() {
    if (shuffle.removed() || failures == MAX_FAILURES) {
      return true;
    }
    if (left.isEmpty() && repeated) {
      repeated = false;
      listed = false;
    }
    return left.isEmpty() && listed;
  }

  /** Whoever waits for it waits no more. To be called once. */
  void end() {
    done();
    left.forEach(this::release);
    left.clear();
    pending.release(partition);
  }

  @Override
  public String toString() {
    return String.format(
        "shuffle %s, partition %d, looked through on %s: %d extents, %d of them damaged, %d not"
            + " readable",
        shuffle.key(), partition.partition(), store.name(), extents, damaged, unread);
  }
}
