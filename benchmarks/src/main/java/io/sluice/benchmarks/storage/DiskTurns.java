package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.storage.child.MeasuredSide;
import io.sluice.cli.process.ChildFailedException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The engine and the raw disk in turns, phase by phase, so that the two runs of a pair are seconds
 * apart; who goes first changes with every pair. One thread's.
 */
final class DiskTurns {
  private final MeasuredSide engine;
  private final MeasuredSide floor;
  private final Consumer<String> progress;

  DiskTurns(MeasuredSide engine, MeasuredSide floor, Consumer<String> progress) {
    this.engine = engine;
    this.floor = floor;
    this.progress = progress;
  }

  /** Runs the phases in that many pairs, after that many that are thrown away. */
  Map<Phase, List<PhasePair>> run(StorageCase shape, List<Phase> phases, int warmups, int runs)
      throws ChildFailedException, InterruptedException {
    Map<Phase, List<PhasePair>> measured = new EnumMap<>(Phase.class);
    for (int i = -warmups; i < runs; i++) {
      for (Phase phase : phases) {
        PhasePair pair = pair(phase, Math.floorMod(i, 2) == 0);
        progress.accept(line(shape, phase, i, runs, pair));
        if (i >= 0) {
          measured.computeIfAbsent(phase, p -> new ArrayList<>()).add(pair);
        }
      }
      // Both begin the next pair with an empty disk, and neither frees space in its own time.
      engine.discard();
      floor.discard();
    }
    return measured;
  }

  private PhasePair pair(Phase phase, boolean engineFirst)
      throws ChildFailedException, InterruptedException {
    if (engineFirst) {
      PhaseFigures first = engine.run(phase);
      return new PhasePair(first, floor.run(phase));
    }
    PhaseFigures first = floor.run(phase);
    return new PhasePair(engine.run(phase), first);
  }

  private static String line(StorageCase shape, Phase phase, int run, int runs, PhasePair pair) {
    return String.format(
        Locale.ROOT,
        "%s %s %s: %.2f GB/s, raw %.2f GB/s, ratio %.2f",
        shape.name(),
        phase,
        run < 0 ? "warming up" : "pair " + (run + 1) + " of " + runs,
        pair.engine().gbps(),
        pair.floor().gbps(),
        pair.ratio());
  }
}
