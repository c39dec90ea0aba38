package io.sluice.benchmarks.wire;

import io.sluice.benchmarks.paired.Distribution;
import io.sluice.benchmarks.processors.Counted;
import io.sluice.benchmarks.wire.WireFigures.Side;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.TextTable;
import io.sluice.transport.Transport;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The turns of one transport in one direction of one case, for people and for scripts. */
record WireReport(
    WireCase shape, Transport transport, Direction direction, Counted<WireFigures> counted) {

  static String name(Transport transport) {
    return transport.name().toLowerCase(Locale.ROOT);
  }

  /** An empty table for {@link #addTo}. */
  static TextTable table() {
    return new TextTable(
        "case",
        "transport",
        "direction",
        "GB/s (min-max)",
        "cpu-s/GB client",
        "server",
        "garbage MB/GB client",
        "server",
        "syscalls/GB client",
        "server",
        "p50 ms",
        "p99 ms",
        "line ns",
        "left out");
  }

  /** Adds one row of medians. */
  void addTo(TextTable table) {
    Distribution gbps = Distribution.of(turns(), WireFigures::gbps);
    table.add(
        shape.toString(),
        name(transport),
        direction.name(),
        String.format(Locale.ROOT, "%.2f (%.2f-%.2f)", gbps.median(), gbps.min(), gbps.max()),
        number("%.3f", f -> f.cpuPerGb(Side.client)),
        number("%.3f", f -> f.cpuPerGb(Side.server)),
        number("%.2f", f -> f.garbageMbPerGb(Side.client)),
        number("%.2f", f -> f.garbageMbPerGb(Side.server)),
        number("%.0f", f -> f.syscallsPerGb(Side.client)),
        number("%.0f", f -> f.syscallsPerGb(Side.server)),
        number("%.2f", WireFigures::p50Millis),
        number("%.2f", WireFigures::p99Millis),
        number("%.0f", WireFigures::lineNanos),
        Integer.toString(counted.leftOut()));
  }

  /** One object for each side, with medians and the spread of what is compared. */
  List<JsonObject> json() {
    return List.of(json(Side.client), json(Side.server));
  }

  private JsonObject json(Side side) {
    Distribution gbps = Distribution.of(turns(), WireFigures::gbps);
    Distribution cpu = Distribution.of(turns(), f -> f.cpuPerGb(side));
    return new JsonObject()
        .put("transport", name(transport))
        .put("direction", direction.name())
        .put("block_bytes", shape.blockBytes())
        .put("connections", shape.connections())
        .put("side", side.name())
        .put("gbps", gbps.median())
        .put("gbps_min", gbps.min())
        .put("gbps_max", gbps.max())
        .put("cpu_s_per_gb", cpu.median())
        .put("cpu_s_per_gb_min", cpu.min())
        .put("cpu_s_per_gb_max", cpu.max())
        .put("garbage_mb_per_gb", median(f -> f.garbageMbPerGb(side)))
        .put("syscalls_per_gb", median(f -> f.syscallsPerGb(side)))
        .put("p50_ms", median(WireFigures::p50Millis))
        .put("p99_ms", median(WireFigures::p99Millis))
        .put("bytes", (long) median(f -> f.client().bytes()))
        .put("turns", turns().size())
        .put("turns_left_out", counted.leftOut())
        .put("line_ns", median(WireFigures::lineNanos));
  }

  private List<WireFigures> turns() {
    return counted.turns();
  }

  private String number(String format, ToDoubleFunction<WireFigures> figure) {
    return String.format(Locale.ROOT, format, median(figure));
  }

  private double median(ToDoubleFunction<WireFigures> figure) {
    return Distribution.of(turns(), figure).median();
  }
}
