package io.sluice.server.segment;

import io.sluice.common.id.ShuffleKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The segments of one shuffle and the units staged for it. Confined to {@link SegmentTable}'s lock;
 * others only hand it around.
 */
final class ShuffleSegments {
  private final ShuffleKey shuffle;
  final List<Segment> segments = new ArrayList<>();

  /** Those that are not full, and that nobody appends to now: as many as writers at most. */
  final ArrayDeque<Segment> open = new ArrayDeque<>();

  /** Units staged or being written. */
  int staged;

  boolean removed;

  ShuffleSegments(ShuffleKey shuffle) {
    this.shuffle = shuffle;
  }

  ShuffleKey shuffle() {
    return shuffle;
  }
}
