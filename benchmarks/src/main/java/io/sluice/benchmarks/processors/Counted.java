package io.sluice.benchmarks.processors;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Of what was measured in turns, what counts: where the machine's processors shared a cache, if
 * that is enough, and else all.
 *
 * @param leftOut how much more there was
 */
public record Counted<T>(List<T> turns, int leftOut) {
  public Counted {
    turns = List.copyOf(turns);
  }

  /**
   * Whether so many turns were measured while processors shared a cache.
   *
   * @param lineNanos a cache line's round trip, the longest around a turn
   */
  public static <T> boolean areEnough(List<T> all, int runs, ToDoubleFunction<T> lineNanos) {
    return withSharedCache(all, lineNanos).size() >= runs;
  }

  /** Of all, those that count. */
  public static <T> Counted<T> of(List<T> all, int runs, ToDoubleFunction<T> lineNanos) {
    List<T> shared = withSharedCache(all, lineNanos);
    return shared.size() < runs
        ? new Counted<>(all, 0)
        : new Counted<>(shared, all.size() - shared.size());
  }

  private static <T> List<T> withSharedCache(List<T> all, ToDoubleFunction<T> lineNanos) {
    return all.stream()
        .filter(turn -> lineNanos.applyAsDouble(turn) < RoundTrip.NO_SHARED_CACHE)
        .toList();
  }
}
