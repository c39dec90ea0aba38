package io.sluice.benchmarks.paired;

import io.sluice.cli.compare.Measurement;
import io.sluice.cli.compare.Pair;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import io.sluice.cli.spark.JobRequest;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The pairs of one case, for people and for scripts.
 *
 * @param inputSeconds median time to make and digest the input with no shuffle at all: part of both
 *     sides, and no shuffle could beat it
 */
public record CaseReport(
    JobRequest request, String candidate, String baseline, double inputSeconds, List<Pair> pairs) {

  public CaseReport {
    pairs = List.copyOf(pairs);
  }

  public boolean equal() {
    return pairs.stream().allMatch(Pair::equal);
  }

  public Distribution wallRatio() {
    return Distribution.of(pairs, Pair::wallRatio);
  }

  public Distribution cpuRatio() {
    return Distribution.of(pairs, Pair::cpuRatio);
  }

  /** What was run, in a line. */
  public String title() {
    return String.format(
        Locale.ROOT,
        "%s, %,d rows, %d maps, %d partitions, %s",
        request.workload(),
        request.rows(),
        request.maps(),
        request.partitions(),
        request.compressible() ? "compressible" : "incompressible");
  }

  /** CPU of driver and executors, without what servers took. */
  public Distribution clientCpuRatio() {
    return Distribution.of(pairs, Pair::clientCpuRatio);
  }

  /** Medians of both sides, then ratios with their spread. */
  public String text() {
    TextTable table =
        new TextTable(
            "median of " + pairs.size(),
            "wall s",
            "cpu s",
            "of servers",
            "gc s",
            "fetch wait s",
            "shuffled",
            "pushed",
            "mean block",
            "fetched",
            "task spill",
            "given back",
            "server spill",
            "to storage");
    side(table, candidate, Pair::candidate);
    side(table, baseline, Pair::baseline);
    return String.format(
        Locale.ROOT,
        "%n%s%n%s"
            + "input alone %.2f s wall; results %s (%s)%n"
            + "per pair: wall %s%n          cpu %s%n          cpu without servers %s%n",
        title(),
        table,
        inputSeconds,
        equal() ? "equal" : "DIFFER",
        pairs.get(0).candidate().result().fingerprint(),
        wallRatio(),
        cpuRatio(),
        clientCpuRatio());
  }

  /** One object with what every benchmark says, and what this one can say besides. */
  public JsonObject json() {
    JsonObject json =
        new JsonObject()
            .put("workload", request.workload())
            .put("rows", request.rows())
            .put("partitions", request.partitions())
            .put("maps", request.maps())
            .put("compressible", request.compressible())
            .put("candidate", candidate)
            .put("baseline", baseline)
            .put("pairs", pairs.size())
            .put("sluice_s", median(Pair::candidate, m -> m.result().seconds()))
            .put("baseline_s", median(Pair::baseline, m -> m.result().seconds()))
            .put("input_s", inputSeconds);
    spread(json, "ratio_wall", wallRatio());
    spread(json, "ratio_cpu", cpuRatio());
    spread(json, "ratio_client_cpu", clientCpuRatio());
    return json.put("equal", equal())
        .put("sluice_cpu_s", median(Pair::candidate, Measurement::cpuSeconds))
        .put("server_cpu_s", median(Pair::candidate, Measurement::serviceCpuSeconds))
        .put("baseline_cpu_s", median(Pair::baseline, Measurement::cpuSeconds))
        .put("sluice_gc_s", median(Pair::candidate, m -> m.result().gcMillis() / 1e3))
        .put("baseline_gc_s", median(Pair::baseline, m -> m.result().gcMillis() / 1e3))
        .put(
            "sluice_shuffle_bytes",
            (long) median(Pair::candidate, m -> m.result().tasks().shuffleBytes()))
        .put(
            "baseline_shuffle_bytes",
            (long) median(Pair::baseline, m -> m.result().tasks().shuffleBytes()))
        .put("pushed_bytes", (long) median(Pair::candidate, Measurement::pushedBytes))
        .put("pushed_blocks", (long) median(Pair::candidate, Measurement::pushedBlocks))
        .put("fetched_bytes", (long) median(Pair::candidate, Measurement::fetchedBytes))
        .put("spilled_bytes", (long) median(Pair::candidate, Measurement::spilledBytes))
        .put("sluice_task_spill_bytes", taskSpill(Pair::candidate))
        .put("baseline_task_spill_bytes", taskSpill(Pair::baseline))
        .put("sluice_memory_spill_bytes", memorySpill(Pair::candidate))
        .put("baseline_memory_spill_bytes", memorySpill(Pair::baseline))
        .put("sluice_written_bytes", (long) median(Pair::candidate, Measurement::writtenBytes))
        .put("baseline_written_bytes", (long) median(Pair::baseline, Measurement::writtenBytes));
  }

  private static void spread(JsonObject json, String name, Distribution ratio) {
    json.put(name, ratio.median())
        .put(name + "_min", ratio.min())
        .put(name + "_q1", ratio.q1())
        .put(name + "_q3", ratio.q3())
        .put(name + "_max", ratio.max());
  }

  private void side(TextTable table, String name, Function<Pair, Measurement> side) {
    table.add(
        name,
        Units.seconds(median(side, m -> m.result().seconds())),
        Units.seconds(median(side, Measurement::cpuSeconds)),
        Units.seconds(median(side, Measurement::serviceCpuSeconds)),
        Units.seconds(median(side, m -> m.result().gcMillis() / 1e3)),
        Units.seconds(median(side, m -> m.result().tasks().fetchWaitMillis() / 1e3)),
        Units.bytes((long) median(side, m -> m.result().tasks().shuffleBytes())),
        Units.bytes((long) median(side, Measurement::pushedBytes)),
        Units.bytes((long) median(side, Measurement::meanBlockBytes)),
        Units.bytes((long) median(side, Measurement::fetchedBytes)),
        Units.bytes(taskSpill(side)),
        Units.bytes(memorySpill(side)),
        Units.bytes((long) median(side, Measurement::spilledBytes)),
        Units.bytes((long) median(side, Measurement::writtenBytes)));
  }

  private long taskSpill(Function<Pair, Measurement> side) {
    return (long) median(side, m -> m.result().tasks().spilledBytes());
  }

  private long memorySpill(Function<Pair, Measurement> side) {
    return (long) median(side, m -> m.result().tasks().memorySpilledBytes());
  }

  private double median(Function<Pair, Measurement> side, ToDoubleFunction<Measurement> figure) {
    return Distribution.of(pairs, pair -> figure.applyAsDouble(side.apply(pair))).median();
  }
}
