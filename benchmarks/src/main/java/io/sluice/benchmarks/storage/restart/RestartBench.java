package io.sluice.benchmarks.storage.restart;

import io.sluice.benchmarks.Arguments;
import io.sluice.benchmarks.child.MeasuredChild;
import io.sluice.benchmarks.paired.Distribution;
import io.sluice.benchmarks.storage.DataDirOption;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How long a server with many extents takes to serve again. */
@Command(
    name = "restart",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Measures how long a server takes to serve again when its disk holds many extents.",
      "One process writes them, small ones, in as many units as full ones would be; then each run"
          + " is a new process that opens the disk, recovers, makes a server's core and fetches one"
          + " partition, which is compared with what was written."
    })
public final class RestartBench implements Callable<Integer> {
  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final int MIB = 1 << 20;

  @Option(names = "--partitions", description = "of one shuffle", paramLabel = "N")
  private int partitions = 20_000;

  @Option(names = "--extents", description = "in all, as many of each partition", paramLabel = "N")
  private int extents = 1_000_000;

  @Option(
      names = "--unit-extents",
      description = "in one unit; 256 of 16 KiB fill one of 4 MiB",
      paramLabel = "N")
  private int unitExtents = 256;

  @Option(names = "--runs", description = "starts that are measured", paramLabel = "N")
  private int runs = 5;

  @Option(
      names = "--heap",
      description = "of the process that starts",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize heap = DataSize.parse("512m");

  @Mixin private final DataDirOption dataDir = new DataDirOption();
  @Mixin private final OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws Exception {
    check();
    RestartShape shape = new RestartShape(partitions, extents, unitExtents);
    RunDirectory directory = RunDirectory.create("sluice-restart-", output.keep(), dataDir.path());
    List<RestartFigures> measured = new ArrayList<>();
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      run(group, directory.path(), RestartMain.FILL, shape);
      for (int i = 0; i < runs; i++) {
        int partition = (int) ((long) i * partitions / runs);
        String line = run(group, directory.path(), Integer.toString(partition), shape);
        RestartFigures figures = RestartFigures.parse(line);
        System.out.printf(
            Locale.ROOT, "start %d of %d: %.2f s%n", i + 1, runs, figures.seconds().untilServing());
        measured.add(figures);
      }
    }
    report(measured);
    return ExitCode.OK;
  }

  private void check() {
    Arguments.atLeast(1, "--runs", runs);
    Arguments.atLeast(1, "--partitions", partitions);
    Arguments.atLeast(1, "--unit-extents", unitExtents);
    Arguments.atLeast(partitions, "--extents", extents);
    if (extents % partitions != 0) {
      throw new CommandFailedException(
          ExitCode.USAGE, "--extents must be a multiple of --partitions, " + partitions);
    }
  }

  private String run(ProcessGroup group, Path directory, String what, RestartShape shape)
      throws IOException, ChildFailedException, InterruptedException {
    long heapMib = heap.toBytes() / MIB;
    List<String> arguments = new ArrayList<>(List.of(what, directory.resolve("data").toString()));
    arguments.addAll(shape.arguments());
    MeasuredChild.Program program =
        new MeasuredChild.Program(
            RestartMain.class,
            List.of("-Xms" + heapMib + "m", "-Xmx" + heapMib + "m", "-XX:+ExitOnOutOfMemoryError"),
            arguments);
    try (MeasuredChild child = MeasuredChild.start(group, program, directory, DEADLINE)) {
      return child.ready();
    }
  }

  private void report(List<RestartFigures> measured) throws IOException {
    RestartFigures last = measured.get(measured.size() - 1);
    Distribution total = seconds(measured, RestartFigures.Seconds::untilServing);
    TextTable table =
        new TextTable(
            "extents",
            "units",
            "s until serving (min-max)",
            "open",
            "core",
            "fetch",
            "s of process",
            "heap",
            "accounted",
            "catalog");
    double open = seconds(measured, RestartFigures.Seconds::open).median();
    double core = seconds(measured, RestartFigures.Seconds::core).median();
    double fetch = seconds(measured, RestartFigures.Seconds::fetch).median();
    double process = seconds(measured, RestartFigures.Seconds::process).median();
    table.add(
        Integer.toString(last.extents()),
        Integer.toString(last.units()),
        String.format(Locale.ROOT, "%.2f (%.2f-%.2f)", total.median(), total.min(), total.max()),
        String.format(Locale.ROOT, "%.2f", open),
        String.format(Locale.ROOT, "%.2f", core),
        String.format(Locale.ROOT, "%.2f", fetch),
        String.format(Locale.ROOT, "%.2f", process),
        Units.bytes(last.heapBytes()),
        Units.bytes(last.tableBytes()),
        Units.bytes(last.catalogBytes()));
    System.out.println("\nmedians of " + measured.size() + ":\n" + table);
    JsonObject object =
        new JsonObject()
            .put("case", "restart")
            .put("partitions", partitions)
            .put("extents", last.extents())
            .put("units", last.units())
            .put("seconds", total.median())
            .put("seconds_min", total.min())
            .put("seconds_max", total.max())
            .put("open_seconds", open)
            .put("core_seconds", core)
            .put("fetch_seconds", fetch)
            .put("process_seconds", process)
            .put("heap_bytes", last.heapBytes())
            .put("table_bytes", last.tableBytes())
            .put("catalog_bytes", last.catalogBytes())
            .put("runs", measured.size());
    output.append(object + "\n");
  }

  private static Distribution seconds(
      List<RestartFigures> measured, ToDoubleFunction<RestartFigures.Seconds> part) {
    return Distribution.of(measured, figures -> part.applyAsDouble(figures.seconds()));
  }
}
