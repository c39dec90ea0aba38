package io.sluice.server.segment;

import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The segments of one shuffle and the units staged for it. Confined to {@link SegmentTable}'s lock;
 * others only hand it around.
 */
final class ShuffleSegments {
  private final ShuffleKey shuffle;
  final List<Segment> segments = new ArrayList<>();

  /** Where the next unit goes, if it fits. */
  @Nullable Segment current;

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
