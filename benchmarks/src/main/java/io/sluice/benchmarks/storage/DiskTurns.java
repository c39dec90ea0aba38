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
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine and the raw disk in turns: phase by phase, and within a phase a part of the bytes
 * each, so that most of what is compared is less than a second apart. Who goes first changes with
 * every pair. While the machine's processors share no cache, there are more pairs, up to {@value
 * #PAIRS_AT_MOST} times as many. One thread's.
 */
final class DiskTurns {
  private static final int PAIRS_AT_MOST = 3;

  /** Of each side in a phase: a virtual machine's disk can be twice as fast within seconds. */
  static final int TURNS = 8;

  /** Of a turn: what its beginning and its end take beside it should not count. */
  private static final long TURN_BYTES_MIN = 256 << 20;

  private final MeasuredSide engine;
  private final MeasuredSide floor;
  private final RoundTrip processors;
  private final int turnsAtMost;
  private final Consumer<String> progress;

  /**
   * @param turnsAtMost of each side in a phase; one where what a side writes goes on being written
   *     in the other's
   */
  DiskTurns(
      MeasuredSide engine,
      MeasuredSide floor,
      RoundTrip processors,
      int turnsAtMost,
      Consumer<String> progress) {
    this.engine = engine;
    this.floor = floor;
    this.processors = processors;
    this.turnsAtMost = turnsAtMost;
    this.progress = progress;
  }

  /** Runs the phases in that many pairs, or more, after that many that are thrown away. */
  Map<Phase, List<PhasePair>> run(StorageCase shape, List<Phase> phases, int warmups, int runs)
      throws ChildFailedException, InterruptedException {
    Map<Phase, List<PhasePair>> measured = new EnumMap<>(Phase.class);
    for (int i = -warmups; i < PAIRS_AT_MOST * runs && !isEnough(measured, runs); i++) {
      for (Phase phase : phases) {
        PhasePair pair = pair(shape, phase, Math.floorMod(i, 2) == 0);
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

  private PhasePair pair(StorageCase shape, Phase phase, boolean engineFirst)
      throws ChildFailedException, InterruptedException {
    long all = shape.bytes() * (phase == Phase.mixed ? 2 : 1);
    int turns = (int) Math.max(1, Math.min(turnsAtMost, all / TURN_BYTES_MIN));
    Part own = new Part(engine, phase);
    Part raw = new Part(floor, phase);
    List<Part> order = engineFirst ? List.of(own, raw) : List.of(raw, own);
    double line = processors.nanos();
    for (int i = 1; i < turns; i++) {
      for (Part part : order) {
        part.run(all / turns);
      }
    }
    for (Part part : order) {
      part.run(Long.MAX_VALUE);
    }
    return new PhasePair(own.figures(), raw.figures(), Math.max(line, processors.nanos()));
  }

  /** A phase of one side, turn by turn. */
  private static final class Part {
    private final MeasuredSide side;
    private final Phase phase;
    private @Nullable PhaseFigures figures;

    Part(MeasuredSide side, Phase phase) {
      this.side = side;
      this.phase = phase;
    }

    void run(long bytes) throws ChildFailedException, InterruptedException {
      if (figures == null) {
        figures = side.turn(phase, bytes).orElse(null);
      }
    }

    PhaseFigures figures() {
      return Objects.requireNonNull(figures, "the last turn ends a phase");
    }
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
