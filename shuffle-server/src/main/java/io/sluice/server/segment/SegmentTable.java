package io.sluice.server.segment;

import io.sluice.common.id.ShuffleKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which segments a disk has, by number and by shuffle. Thread-safe; no I/O under its lock. Lock
 * order: this, then a segment.
 */
final class SegmentTable {
  /**
   * How far a number is looked for where one is taken: who wanted to be in the way of every try had
   * to make four billion files.
   */
  private static final long LEAP_MAX = 1L << 32;

  private static final long ANYWHERE_MAX = 1L << 62;

  private final long segmentSize;
  private final SegmentSweeper sweeper;
  private final SplittableRandom random;
  private final Map<Long, Segment> byNumber = new ConcurrentHashMap<>();
  private final Map<ShuffleKey, ShuffleSegments> byShuffle = new HashMap<>();
  // Of files that are not segments.
  private final Set<Long> avoided = new HashSet<>();
  private long nextNumber;

  /**
   * @param random of a seed that nobody knows who can make files; for leaps
   */
  SegmentTable(long segmentSize, SegmentSweeper sweeper, SplittableRandom random) {
    this.segmentSize = segmentSize;
    this.sweeper = sweeper;
    this.random = random;
  }

  /**
   * Adds a segment of an earlier incarnation, which is only read.
   *
   * @param synced whether all of it survives power loss
   */
  synchronized void addRecovered(long number, ShuffleKey shuffle, UnitEnds ends, boolean synced) {
    Segment segment = new Segment(number, shuffle, ends, sweeper);
    if (!synced) {
      segment.setUnsynced();
    }
    byNumber.put(number, segment);
    byShuffle.computeIfAbsent(shuffle, ShuffleSegments::new).segments.add(segment);
    reserveNumbersTo(number);
  }

  /** New segments get numbers above this one. */
  synchronized void reserveNumbersTo(long number) {
    nextNumber = Math.max(nextNumber, number == Long.MAX_VALUE ? number : number + 1);
  }

  /**
   * No new segment gets this number. What is not ours is passed over and not counted from: whoever
   * can make files could else use up all numbers with one.
   */
  synchronized void avoid(long number) {
    avoided.add(number);
  }

  /**
   * Somebody has made a file of the name that a segment was to have, and maybe of the next ones:
   * the next number is any above it.
   */
  synchronized void leap() {
    long next = nextNumber + random.nextLong(LEAP_MAX);
    nextNumber = next < 0 ? Long.MAX_VALUE : next;
  }

  /**
   * The next number that nothing has. Where somebody has made a segment of the highest one it is
   * any: among 2^62 it will hardly be that of a file which is being removed.
   */
  private long takeNumber() {
    while (nextNumber == Long.MAX_VALUE
        || avoided.contains(nextNumber)
        || byNumber.containsKey(nextNumber)) {
      nextNumber = nextNumber == Long.MAX_VALUE ? random.nextLong(ANYWHERE_MAX) : nextNumber + 1;
    }
    return nextNumber++;
  }

  /** What a shuffle has now, in the order it was made. */
  synchronized List<Segment> segmentsOf(ShuffleKey shuffle) {
    ShuffleSegments segments = byShuffle.get(shuffle);
    return segments == null ? List.of() : List.copyOf(segments.segments);
  }

  @Nullable Segment find(long number) {
    return byNumber.get(number);
  }

  int size() {
    return byNumber.size();
  }

  /** The segments that were written to and may not have been synced, by this life or before. */
  List<Segment> unsynced() {
    return byNumber.values().stream().filter(Segment::isUnsynced).toList();
  }

  /** A unit of the shuffle is staged from now until {@link #unstage}. */
  synchronized ShuffleSegments stage(ShuffleKey shuffle) {
    ShuffleSegments segments = byShuffle.computeIfAbsent(shuffle, ShuffleSegments::new);
    segments.staged++;
    return segments;
  }

  synchronized void unstage(ShuffleSegments segments) {
    segments.staged--;
    if (segments.staged == 0 && segments.segments.isEmpty()) {
      byShuffle.remove(segments.shuffle(), segments);
    }
  }

  /**
   * The segment that the next unit of a shuffle goes to, leased, or null if the shuffle was removed
   * since the unit was staged. A segment that begins at 0 may still have to be created. Nobody else
   * is given it until it is {@link #reopen handed back}; who does not do that has sealed it.
   */
  synchronized @Nullable Segment leaseForAppend(ShuffleSegments segments, int unitLength) {
    if (segments.removed) {
      return null;
    }
    Segment segment = segments.open.poll();
    if (segment == null || segment.end() + unitLength > segmentSize) {
      segment = new Segment(takeNumber(), segments.shuffle(), new UnitEnds(), sweeper);
      segments.segments.add(segment);
      byNumber.put(segment.number(), segment);
    }
    return segment.tryLease() ? segment : null;
  }

  /** The next unit may be appended, by anybody. */
  synchronized void reopen(ShuffleSegments segments, Segment segment) {
    segments.open.push(segment);
  }

  /** Takes back a segment whose file could not be created. */
  synchronized void abandon(ShuffleSegments segments, Segment segment) {
    segments.segments.remove(segment);
    byNumber.remove(segment.number());
  }

  /** Hides a shuffle: its segments are not found any more, its staged units not written. */
  void remove(ShuffleKey shuffle) {
    List<Segment> hidden;
    synchronized (this) {
      ShuffleSegments segments = byShuffle.remove(shuffle);
      if (segments == null) {
        return;
      }
      segments.removed = true;
      hidden = List.copyOf(segments.segments);
      for (Segment segment : hidden) {
        byNumber.remove(segment.number());
      }
    }
    hidden.forEach(Segment::remove);
  }
}
