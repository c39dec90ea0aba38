package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.processors.Counted;
import io.sluice.benchmarks.processors.RoundTrip;
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
 * apart; who goes first changes with every pair. While the machine's processors share no cache,
 * there are more pairs, up to {@value #PAIRS_AT_MOST} times as many. One thread's.
 */
final class DiskTurns {
  private static final int PAIRS_AT_MOST = 3;

  private final MeasuredSide engine;
  private final MeasuredSide floor;
  private final RoundTrip processors;
  private final Consumer<String> progress;

  DiskTurns(
      MeasuredSide engine, MeasuredSide floor, RoundTrip processors, Consumer<String> progress) {
    this.engine = engine;
    this.floor = floor;
    this.processors = processors;
    this.progress = progress;
  }

  /** Runs the phases in that many pairs, or more, after that many that are thrown away. */
  Map<Phase, List<PhasePair>> run(StorageCase shape, List<Phase> phases, int warmups, int runs)
      throws ChildFailedException, InterruptedException {
    Map<Phase, List<PhasePair>> measured = new EnumMap<>(Phase.class);
    for (int i = -warmups; i < PAIRS_AT_MOST * runs && !isEnough(measured, runs); i++) {
      for (Phase phase : phases) {
        PhasePair pair = pair(phase, Math.floorMod(i, 2) == 0);
        progress.accept(line(shape, phase, i, pair));
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

  private static boolean isEnough(Map<Phase, List<PhasePair>> measured, int runs) {
    return !measured.isEmpty()
        && measured.values().stream()
            .allMatch(all -> Counted.areEnough(all, runs, PhasePair::lineNanos));
  }

  private PhasePair pair(Phase phase, boolean engineFirst)
      throws ChildFailedException, InterruptedException {
    if (engineFirst) {
      double before = processors.nanos();
      PhaseFigures first = engine.run(phase);
      double line = Math.max(before, processors.nanos());
      return new PhasePair(first, floor.run(phase), line);
    }
    PhaseFigures first = floor.run(phase);
    double before = processors.nanos();
    PhaseFigures second = engine.run(phase);
    return new PhasePair(second, first, Math.max(before, processors.nanos()));
  }

  private static String line(StorageCase shape, Phase phase, int run, PhasePair pair) {
    return String.format(
        Locale.ROOT,
        "%s %s %s: %.2f GB/s, raw %.2f GB/s, ratio %.2f, cpu-s/GB %.2f of %.2f, line %.0f ns",
        shape.name(),
        phase,
        run < 0 ? "warming up" : "pair " + (run + 1),
        pair.engine().gbps(),
        pair.floor().gbps(),
        pair.ratio(),
        pair.engine().cpuPerGb(),
        pair.floor().cpuPerGb(),
        pair.lineNanos());
  }
}
