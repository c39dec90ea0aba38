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
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Many applications push to a server whose disk takes much less. */
@Command(
    name = "pressure",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Measures what applications get from a server with little memory and a slow disk.",
      "The disk is this machine's, made slow: each write takes as long as its bytes do at the"
          + " given rate. First a small application pushes a frame of 256 KiB each so many"
          + " milliseconds to an idle server; then the others push all they can, and it does so"
          + " again. Reported are Jain's index over the bytes accepted of the large ones in that"
          + " window (1: all had as much), and the small one's latency, idle and under pressure."
    })
public final class PressureBench implements Callable<Integer> {
  private static final int SEED_KIB = 64;
  private static final int CONNECTIONS_MAX = 64;
  private static final int CLIENT_HEAP_MIB = 256;
  private static final int PARTITIONS = 200;
  private static final double MB = 1e6;

  @Option(names = "--applications", description = "that push all they can", paramLabel = "N")
  private int applications = 10;

  @Option(names = "--connections", description = "of each of them", paramLabel = "N")
  private int connections = 2;

  @Option(names = "--memory", description = "of the server, in MiB", paramLabel = "N")
  private int memory = 256;

  @Option(names = "--disk", description = "what it writes, in MiB/s", paramLabel = "N")
  private int disk = 50;

  @Option(names = "--block", description = "bytes of a block", paramLabel = "N")
  private int block = 64 << 10;

  @Option(names = "--every", description = "ms between frames of the small one", paramLabel = "N")
  private int every = 200;

  @Option(names = "--seconds", description = "of each of the two windows", paramLabel = "N")
  private int seconds = 20;

  @Mixin private final DataDirOption dataDir = new DataDirOption();
  @Mixin private final OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws Exception {
    Arguments.atLeast(1, "--applications", applications);
    Arguments.atLeast(1, "--connections", connections);
    Arguments.atLeast(1, "--disk", disk);
    Arguments.atLeast(1, "--every", every);
    Arguments.atLeast(2, "--seconds", seconds);
    RunDirectory directory = RunDirectory.create("sluice-pressure-", output.keep(), dataDir.path());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      run(group, directory.path());
    }
    return ExitCode.OK;
  }

  private void run(ProcessGroup group, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    ServerSpec spec =
        new ServerSpec(
            directory.resolve("data"),
            memory,
            disk,
            Math.max(CONNECTIONS_MAX, 2 * applications * connections),
            SEED_KIB,
            false);
    CrowdedPair.Load load = new CrowdedPair.Load(block, PARTITIONS);
    try (CrowdedPair pair = CrowdedPair.start(group, spec, directory, load, CLIENT_HEAP_MIB)) {
      String small = CrowdedClient.MEASURE + " " + applications + " ";
      pair.measure(small + seconds / 2 + " " + every); // warms both up
      CrowdedFigures idle = pair.measure(small + seconds + " " + every);
      pair.ask(CrowdedClient.PRESS + " " + applications + " " + connections);
      pair.measure(small + seconds / 2 + " " + every); // until memory is full
      CrowdedFigures pressed = pair.measure(small + seconds + " " + every);
      report(idle, pressed, pair.serverPeakBytes());
    }
  }

  private void report(CrowdedFigures idle, CrowdedFigures pressed, long peak) throws IOException {
    List<Long> bytes = pressed.pressed();
    double whole = bytes.stream().mapToLong(Long::longValue).sum() / MB / pressed.seconds();
    double least = bytes.stream().mapToLong(Long::longValue).min().orElse(0) / MB;
    double most = bytes.stream().mapToLong(Long::longValue).max().orElse(0) / MB;
    TextTable table =
        new TextTable(
            "applications",
            "MB/s of all",
            "MB of one (min-max)",
            "Jain",
            "failures",
            "small: p50 ms idle",
            "p99",
            "p50 ms pressed",
            "p99",
            "peak RSS MB");
    table.add(
        Integer.toString(applications),
        String.format(Locale.ROOT, "%.1f", whole),
        String.format(Locale.ROOT, "%.1f-%.1f", least, most),
        String.format(Locale.ROOT, "%.4f", pressed.fairness()),
        Long.toString(pressed.pressedFailures() + pressed.failures()),
        String.format(Locale.ROOT, "%.2f", idle.p50Millis()),
        String.format(Locale.ROOT, "%.2f", idle.p99Millis()),
        String.format(Locale.ROOT, "%.2f", pressed.p50Millis()),
        String.format(Locale.ROOT, "%.2f", pressed.p99Millis()),
        String.format(Locale.ROOT, "%.0f", peak / MB));
    System.out.println(table);
    output.append(
        new JsonObject()
                .put("case", "pressure")
                .put("applications", applications)
                .put("connections", connections)
                .put("memory_mib", memory)
                .put("disk_mib_per_s", disk)
                .put("mb_per_s", whole)
                .put("jain", pressed.fairness())
                .put("failures", pressed.pressedFailures() + pressed.failures())
                .put("small_p99_ms_idle", idle.p99Millis())
                .put("small_p99_ms_pressed", pressed.p99Millis())
                .put("small_p50_ms_idle", idle.p50Millis())
                .put("small_p50_ms_pressed", pressed.p50Millis())
                .put("peak_rss_bytes", peak)
            + "\n");
  }
}
