package io.sluice.benchmarks.wire;

import io.sluice.benchmarks.processors.RoundTrip;
import java.util.List;

/**
 * The turns of one transport in one direction that count: those whose processors shared a cache, if
 * they are enough, and else all.
 *
 * @param leftOut how many more there were
 */
record ChosenTurns(List<WireFigures> turns, int leftOut) {

  /** Whether so many were measured while processors shared a cache. */
  static boolean areEnough(List<WireFigures> all, int runs) {
    return near(all).size() >= runs;
  }

  /** Of all, those that count. */
  static ChosenTurns of(List<WireFigures> all, int runs) {
    List<WireFigures> near = near(all);
    return near.size() < runs
        ? new ChosenTurns(all, 0)
        : new ChosenTurns(near, all.size() - near.size());
  }

  private static List<WireFigures> near(List<WireFigures> all) {
    return all.stream().filter(turn -> turn.lineNanos() < RoundTrip.NO_SHARED_CACHE).toList();
  }
}
