package io.sluice.server.segment;

import io.sluice.common.error.SluiceException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A unit on its way to the disk, and who waits for it. Whoever comes first decides what became of
 * it, the writer or a disk that does not answer; the caller is told once. Thread-safe.
 */
final class UnitWrite {
  private final StagedUnit unit;
  private final SegmentStore.WriteCallback callback;
  private final AtomicReference<State> state = new AtomicReference<>(State.UNDER_WAY);

  /**
   * What has become of it.
   *
   * <pre>
   *   UNDER_WAY ──▶ WRITTEN ──▶ ENDED
   *       ├───────────────────────▲
   *       └──▶ GIVEN_UP ──────────┘
   * </pre>
   */
  private enum State {
    UNDER_WAY,
    /** It is on the disk, and its caller will hear so. */
    WRITTEN,
    /** Its caller has heard that it failed; the disk may still be at it. */
    GIVEN_UP,
    ENDED
  }

  UnitWrite(StagedUnit unit, SegmentStore.WriteCallback callback) {
    this.unit = unit;
    this.callback = callback;
  }

  StagedUnit unit() {
    return unit;
  }

  /** Whether the blocks have gone back to the caller: then the unit must not exist. */
  boolean isGivenUp() {
    return state.get() == State.GIVEN_UP;
  }

  /** The unit exists from here, unless it was given up: then false, and it must not. */
  boolean written() {
    return state.compareAndSet(State.UNDER_WAY, State.WRITTEN);
  }

  /** Tells the caller that the unit failed, unless it was written. */
  void giveUp(SluiceException why) {
    if (state.compareAndSet(State.UNDER_WAY, State.GIVEN_UP)) {
      callback.written(null, why);
    }
  }

  /** The disk has done with it: tells the caller, unless it has been told. Once. */
  void end(@Nullable List<Extent> extents, @Nullable SluiceException failure) {
    if (state.getAndSet(State.ENDED) != State.GIVEN_UP) {
      callback.written(extents, failure);
    }
  }
}
