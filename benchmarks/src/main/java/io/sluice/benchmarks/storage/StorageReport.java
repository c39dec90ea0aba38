package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.paired.Distribution;
import io.sluice.benchmarks.processors.Counted;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The pairs of one phase of one case, for people and for scripts.
 *
 * @param device what it ran on, and how that was made
 */
public record StorageReport(
    String device, StorageCase shape, Phase phase, Counted<PhasePair> counted) {
  /** Nothing is faster than the disk it uses: above this the comparison itself is wrong. */
  private static final double RATIO_MAX = 1.05;

  private static final double PERCENT = 100;

  /** Ratios within pairs. */
  public Distribution ratio() {
    return Distribution.of(pairs(), PhasePair::ratio);
  }

  /** Whether the engine seems to be faster than the disk. */
  public boolean impossible() {
    return ratio().median() > RATIO_MAX;
  }

  /** An empty table for {@link #addTo}. */
  public static TextTable table() {
    return new TextTable(
        "case",
        "phase",
        "GB/s",
        "raw GB/s (min-max)",
        "% of raw (min-max)",
        "at disk (raw)",
        "cpu-s/GB",
        "floor's",
        "of clients",
        "write ampl.",
        "read ampl.",
        "mean write",
        "mean read",
        "seeks/GB",
        "line ns",
        "left out");
  }

  /** Adds one row: medians, and the spread of what is compared. */
  public void addTo(TextTable table) {
    Distribution raw = Distribution.of(pairs(), pair -> pair.floor().gbps());
    Distribution ratio = ratio();
    table.add(
        device + " " + shape.name(),
        phase.name() + (impossible() ? " IMPOSSIBLE" : ""),
        number("%.3f", median(PhaseFigures::gbps)),
        String.format(Locale.ROOT, "%.2f (%.2f-%.2f)", raw.median(), raw.min(), raw.max()),
        String.format(
            Locale.ROOT,
            "%.1f (%.0f-%.0f)",
            PERCENT * ratio.median(),
            PERCENT * ratio.min(),
            PERCENT * ratio.max()),
        String.format(
            Locale.ROOT,
            "%s (%s)",
            number("%.1f", median(PhaseFigures::underWay)),
            number("%.1f", floor(PhaseFigures::underWay))),
        number("%.2f", median(PhaseFigures::cpuPerGb)),
        number("%.2f", floor(PhaseFigures::cpuPerGb)),
        number("%.2f", median(figures -> figures.clientCpuSeconds() * 1e9 / figures.bytes())),
        number("%.3f", median(PhaseFigures::writeAmplification)),
        number("%.3f", median(PhaseFigures::readAmplification)),
        size(median(PhaseFigures::meanWrite)),
        size(median(PhaseFigures::meanRead)),
        number("%.0f", median(PhaseFigures::seeksPerGb)),
        number("%.0f", line().median()),
        Integer.toString(counted.leftOut()));
  }

  private static String number(String format, double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "-";
  }

  private static String size(double bytes) {
    return Double.isFinite(bytes) ? Units.bytes(Math.round(bytes)) : "-";
  }

  /** One object with medians, and the spread of what is compared. */
  public JsonObject json() {
    Distribution raw = Distribution.of(pairs(), pair -> pair.floor().gbps());
    Distribution ratio = ratio();
    return new JsonObject()
        .put("case", device)
        .put("partitions", shape.partitions())
        .put("shuffles", shape.shuffles())
        .put("phase", phase.name())
        .put("gbps", median(PhaseFigures::gbps))
        .put("pct_of_floor", PERCENT * ratio.median())
        .put("pct_of_floor_min", PERCENT * ratio.min())
        .put("pct_of_floor_max", PERCENT * ratio.max())
        .put("floor_gbps", raw.median())
        .put("floor_gbps_min", raw.min())
        .put("floor_gbps_max", raw.max())
        .put("floor_cpu_s_per_gb", floor(PhaseFigures::cpuPerGb))
        .put("at_disk", median(PhaseFigures::underWay))
        .put("floor_at_disk", floor(PhaseFigures::underWay))
        .put("write_amplification", median(PhaseFigures::writeAmplification))
        .put("read_amplification", median(PhaseFigures::readAmplification))
        .put("cpu_s_per_gb", median(PhaseFigures::cpuPerGb))
        .put(
            "client_cpu_s_per_gb",
            median(figures -> figures.clientCpuSeconds() * 1e9 / figures.bytes()))
        .put("mean_write_bytes", median(PhaseFigures::meanWrite))
        .put("mean_read_bytes", median(PhaseFigures::meanRead))
        .put("seeks_per_gb", median(PhaseFigures::seeksPerGb))
        .put("readers", shape.readers())
        .put("bytes", (long) median(PhaseFigures::bytes))
        .put("arena_bytes", shape.arena())
        .put("unit_bytes", shape.unit())
        .put("block_bytes", shape.plan(0).blockBytes())
        .put("pairs", pairs().size())
        .put("pairs_left_out", counted.leftOut())
        .put("line_ns", line().median())
        .put("error", impossible() ? "faster than the raw disk" : "");
  }

  private Distribution line() {
    return Distribution.of(pairs(), PhasePair::lineNanos);
  }

  private List<PhasePair> pairs() {
    return counted.turns();
  }

  /** Of the engine's side; no number if any of it is none. */
  private double median(ToDoubleFunction<PhaseFigures> figure) {
    return Distribution.of(pairs(), pair -> figure.applyAsDouble(pair.engine())).median();
  }

  /** The same of the raw disk's. */
  private double floor(ToDoubleFunction<PhaseFigures> figure) {
    return Distribution.of(pairs(), pair -> figure.applyAsDouble(pair.floor())).median();
  }
}
