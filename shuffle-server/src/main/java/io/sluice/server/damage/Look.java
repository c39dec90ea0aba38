package io.sluice.server.damage;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import java.util.ArrayDeque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one store has of a partition that was complained of, to be looked through; and then, where
 * some of these extents are damaged, what else lies in their units. A unit whose bytes are gone is
 * damage in all of its partitions, and one reader may want them all.
 *
 * <p>Whoever waits for the partition waits for its own extents only. By then the others of those
 * units are pending too, so that a reader finds them so when it gets there.
 *
 * <p>Of its line, which hands it from thread to thread.
 */
final class Look {
  /** After so many failed reads in a row a disk that is ill is given up: each may take seconds. */
  private static final int MAX_FAILURES = 3;

  private final Cause cause;
  private final Shuffle shuffle;
  private final PartitionBuffer partition;
  private final SegmentStore store;
  private final PendingPartitions pending;
  private final ArrayDeque<Item> own = new ArrayDeque<>();
  // Each holds its partition.
  private final ArrayDeque<Item> mates = new ArrayDeque<>();
  private final DamagedUnits units = new DamagedUnits();
  private @Nullable Item current;
  private long lately;
  private boolean listed;
  // Whether the partition is held for the extents that were listed, or will be at first.
  private boolean held = true;
  // Under the line's monitor. If so, the partition is held once more.
  private boolean repeated;
  private long repeatedLately;
  private int failures;
  private boolean givenUp;
  private boolean ended;
  private int extents;
  private int damaged;
  private int unread;

  /** An extent and whose it is. */
  record Item(PartitionBuffer partition, StoredExtent extent) {}

  /**
   * Who complained, of what.
   *
   * @param lately in nanoseconds: what was looked through since is left out
   */
  record Cause(Object connection, Shuffle shuffle, PartitionBuffer partition, long lately) {}

  Look(Cause cause, SegmentStore store, PendingPartitions pending) {
    this.cause = cause;
    this.shuffle = cause.shuffle();
    this.partition = cause.partition();
    this.lately = cause.lately();
    this.store = store;
    this.pending = pending;
    pending.hold(partition);
  }

  Object connection() {
    return cause.connection();
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

  /** Somebody complains again: what has come since is looked at too. Under the line's monitor. */
  void repeat(long nanos) {
    if (repeated) {
      repeatedLately = Math.min(repeatedLately, nanos);
      return;
    }
    pending.hold(partition);
    repeated = true;
    repeatedLately = nanos;
  }

  /** What is to be read next, or null if there is nothing. */
  @Nullable Item next(long now) {
    if (shuffle.removed()) {
      return null;
    }
    if (!listed) {
      listed = true;
      partition
          .extents(extent -> extent.store() == store && !extent.lookedThroughWithin(lately, now))
          .forEach(extent -> own.add(new Item(partition, extent)));
    }
    for (Item item = poll(now); item != null; item = poll(now)) {
      current = item;
      if (!item.extent().lookedThroughWithin(lately, now)) {
        extents++;
        return item;
      }
      done(now);
    }
    return null;
  }

  private @Nullable Item poll(long now) {
    letGo(now);
    return own.isEmpty() ? mates.poll() : own.poll();
  }

  /** What was read last was looked at, or will not be. */
  void done(long now) {
    releaseCurrent();
    letGo(now);
  }

  private void releaseCurrent() {
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

  /** Of the partition itself nothing is left: what lies in damaged units is next. */
  private void letGo(long now) {
    if (!held || !own.isEmpty()) {
      return;
    }
    if (!units.isEmpty()) {
      shuffle.forEach(other -> addMates(other, now));
      units.clear();
    }
    held = false;
    pending.release(partition);
  }

  private void addMates(PartitionBuffer other, long now) {
    if (other == partition) {
      return;
    }
    other
        .extents(
            extent ->
                extent.store() == store
                    && units.contain(extent.extent())
                    && !extent.lookedThroughWithin(lately, now))
        .forEach(
            extent -> {
              pending.hold(other);
              mates.add(new Item(other, extent));
            });
  }

  /** What was read last was refused for now, and is read again. */
  void putBack() {
    Item item = current;
    if (item != null) {
      current = null;
      extents--;
      (item.partition() == partition ? own : mates).addFirst(item);
    }
  }

  void readable() {
    failures = 0;
  }

  /** A segment that is too short, say, is nothing that its disk is given up for. */
  void unreadable(Throwable failure) {
    unread++;
    if (failure instanceof SluiceException told
        && (told.code() == ErrorCode.DISK_FAILED || told.code() == ErrorCode.DATA_LOST)) {
      failures++;
      givenUp = failures >= MAX_FAILURES && !store.health().healthy();
    }
  }

  /**
   * An extent was damaged. Where it is not the partition's own, all of its unit is here already.
   */
  void damaged(Item item) {
    damaged++;
    if (item.partition() == partition) {
      Extent extent = item.extent().extent();
      units.add(extent.segment(), store.unitOf(extent));
    }
  }

  /** Whether nothing more is to be looked at. Under the line's monitor. */
  boolean isOver() {
    if (shuffle.removed() || givenUp) {
      return true;
    }
    if (repeated && listed && own.isEmpty() && !held) {
      // For these it is held already.
      repeated = false;
      held = true;
      listed = false;
      lately = repeatedLately;
    }
    return listed && own.isEmpty() && mates.isEmpty();
  }

  /** Whoever waits for it waits no more. Its line knows it no more; again is harmless. */
  void end() {
    if (ended) {
      return;
    }
    ended = true;
    releaseCurrent();
    mates.forEach(this::release);
    mates.clear();
    own.clear();
    if (held) {
      pending.release(partition);
    }
    if (repeated) {
      pending.release(partition);
    }
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "shuffle %s, partition %d, looked through on %s: %d extents, %d of them with damaged"
            + " headers, %d not readable",
        shuffle.key(),
        partition.partition(),
        store.name(),
        extents,
        damaged,
        unread);
  }
}
