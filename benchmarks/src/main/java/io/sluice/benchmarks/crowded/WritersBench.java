package io.sluice.benchmarks.crowded;

import io.sluice.benchmarks.Arguments;
import io.sluice.benchmarks.crowded.child.CrowdedClient;
import io.sluice.benchmarks.crowded.child.ServerSpec;
import io.sluice.benchmarks.storage.DataDirOption;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.report.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Thousands of writers at once. */
@Command(
    name = "writers",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Measures a server that thousands write to at once.",
      "Each writer has one frame of 256 KiB on its way at a time; frames hold blocks of many"
          + " partitions. The same bytes are pushed by few writers and by many, these over a"
          + " bounded number of connections, and over one connection each as far as open files"
          + " allow; each in a server of its own, which writes to its disk meanwhile. Peak"
          + " resident memory is compared with the budget that the server was given."
    })
public final class WritersBench implements Callable<Integer> {
  private static final int FEW = 64;
  private static final int FRAME = 256 << 10;
  private static final int CLIENT_HEAP_MIB = 1024;
  private static final int SPARE_FILES = 512;
  private static final double MB = 1e6;
  private static final double MIB = 1 << 20;

  @Option(names = "--writers", description = "the many", paramLabel = "N")
  private int writers = 11_200;

  @Option(names = "--connections", description = "that the many share", paramLabel = "N")
  private int connections = FEW;

  @Option(names = "--partitions", description = "of the shuffle", paramLabel = "N")
  private int partitions = 20_000;

  @Option(names = "--memory", description = "of the server, in MiB", paramLabel = "N")
  private int memory = 2048;

  @Option(names = "--data", description = "pushed each time, in MiB", paramLabel = "N")
  private int data = 6144;

  @Option(names = "--block", description = "bytes of a block", paramLabel = "N")
  private int block = 4096;

  @Option(
      names = "--seed",
      description = "credit a connection begins with, in KiB",
      paramLabel = "N")
  private int seed = 16;

  @Mixin private final DataDirOption dataDir = new DataDirOption();
  @Mixin private final OutputOptions output = new OutputOptions();

  private final TextTable table =
      new TextTable(
          "transport",
          "writers",
          "connections",
          "GB/s",
          "of few",
          "p50 ms",
          "p99 ms",
          "failures",
          "peak RSS MiB",
          "of budget");

  /** Who writes over what. */
  private record Case(int writers, int connections, boolean grpc) {}

  @Override
  public Integer call() throws Exception {
    Arguments.atLeast(FEW, "--writers", writers);
    Arguments.atLeast(1, "--connections", connections);
    Arguments.atLeast(1, "--partitions", partitions);
    Arguments.atLeast(1, "--data", data);
    int single = Math.min(writers, openFilesMax() - SPARE_FILES);
    if (single < writers) {
      System.out.println("open files allow " + single + " connections in a process");
    }
    RunDirectory directory = RunDirectory.create("sluice-writers-", output.keep(), dataDir.path());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      for (boolean grpc : List.of(false, true)) {
        double few = run(group, directory.path(), new Case(FEW, FEW, grpc), 0);
        run(group, directory.path(), new Case(writers, connections, grpc), few);
        if (!grpc) {
          run(group, directory.path(), new Case(single, single, false), few);
        }
      }
    }
    System.out.println("\n" + table);
    System.out.println(
        "Over gRPC there is no case of one connection each: it keeps 256 KiB for each connection.");
    return ExitCode.OK;
  }

  private static int openFilesMax() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
      if (line.startsWith("Max open files")) {
        return Integer.parseInt(
            line.substring("Max open files".length()).trim().split(" +", -1)[0]);
      }
    }
    throw new IOException("/proc/self/limits does not name the limit of open files");
  }

  private double run(ProcessGroup group, Path directory, Case of, double few)
      throws IOException, ChildFailedException, InterruptedException {
    Path own = Files.createTempDirectory(directory, "case-");
    ServerSpec spec =
        new ServerSpec(own.resolve("data"), memory, 0, of.connections + FEW, seed, of.grpc);
    CrowdedPair.Load load = new CrowdedPair.Load(block, partitions);
    try (CrowdedPair pair = CrowdedPair.start(group, spec, own, load, CLIENT_HEAP_MIB)) {
      int frames = (int) (data * MIB / FRAME);
      // A tenth first, so that code is compiled.
      pair.measure(write(1, FEW, FEW, frames / 10));
      pair.remove(1);
      CrowdedFigures figures = pair.measure(write(2, of.connections, of.writers, frames));
      long peak = pair.serverPeakBytes();
      pair.remove(2);
      report(of, figures, few, peak);
      return figures.gbps();
    }
  }

  private static String write(int application, int connections, int writers, int frames) {
    return CrowdedClient.WRITE
        + (" " + application + " " + connections + " " + writers + " " + frames);
  }

  private void report(Case of, CrowdedFigures figures, double few, long peak) throws IOException {
    String transport = of.grpc ? "grpc" : "netty";
    double ofBudget = peak / MIB / memory;
    table.add(
        transport,
        Integer.toString(of.writers),
        Integer.toString(of.connections),
        String.format(Locale.ROOT, "%.3f", figures.gbps()),
        few == 0 ? "" : String.format(Locale.ROOT, "%.2f", figures.gbps() / few),
        String.format(Locale.ROOT, "%.1f", figures.p50Millis()),
        String.format(Locale.ROOT, "%.1f", figures.p99Millis()),
        Long.toString(figures.failures()),
        String.format(Locale.ROOT, "%.0f", peak / MIB),
        String.format(Locale.ROOT, "%.2f", ofBudget));
    System.out.printf(
        Locale.ROOT,
        "%s, %d writers over %d connections: %.3f GB/s, p99 %.0f ms, %d failures, peak %.0f MB%n",
        transport,
        of.writers,
        of.connections,
        figures.gbps(),
        figures.p99Millis(),
        figures.failures(),
        peak / MB);
    output.append(
        new JsonObject()
                .put("case", "writers")
                .put("transport", transport)
                .put("writers", of.writers)
                .put("connections", of.connections)
                .put("partitions", partitions)
                .put("block_bytes", block)
                .put("gbps", figures.gbps())
                .put("p50_ms", figures.p50Millis())
                .put("p99_ms", figures.p99Millis())
                .put("failures", figures.failures())
                .put("peak_rss_bytes", peak)
                .put("memory_mib", memory)
            + "\n");
  }
}
