package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.PairOptions;
import io.sluice.benchmarks.processors.CacheLine;
import io.sluice.benchmarks.processors.Counted;
import io.sluice.benchmarks.profile.Profiler;
import io.sluice.benchmarks.storage.child.MeasuredSide;
import io.sluice.benchmarks.storage.engine.EngineMain;
import io.sluice.benchmarks.storage.floor.FloorMain;
import io.sluice.benchmarks.storage.model.PartitionFiles;
import io.sluice.benchmarks.storage.model.SeekRule;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.report.TextTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The storage engine against the raw disk, or against a modelled one. */
@Command(
    name = "storage",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Measures how near the storage engine comes to its disk's own sequential speed.",
      "Synthetic writers push blocks into the server's real core, with far less memory than data;"
          + " then everything is read back from the disk and checked. A program that does nothing"
          + " but write and read files of the same size in accesses of the same size takes"
          + " turns with it, an eighth at a time. More than 1.05 of its speed is an error of the"
          + " benchmark: exit code 1.",
      "Line ns is how long a cache line takes from one processor to another and back, measured"
          + " around each phase. Pairs of 200 ns and more are left out and counted, for others, up"
          + " to three times as many; if there are too few others, all count.",
      "With --device hdd-model the disk is a computed spinning one, time is virtual, and a layout"
          + " with one file per partition runs beside it."
    })
public final class StorageBench implements Callable<Integer> {
  private static final int HEAP_MIB = 768;

  /**
   * Of more heap, a quarter of which is for tables: a partition and its extents take some 2 KiB.
   */
  private static final int HEAP_PER_PARTITION = 12 << 10;

  private static final int OTHER_DIRECT_MIB = 768;
  private static final int MIB = 1 << 20;

  @Option(names = "--device", description = "${COMPLETION-CANDIDATES}", paramLabel = "DEVICE")
  private Device device = Device.LOCAL;

  @Option(
      names = "--seeks",
      split = ",",
      description = "when an access of the modelled disk seeks: ${COMPLETION-CANDIDATES}",
      paramLabel = "RULE")
  private List<SeekRule> seeks = List.of(SeekRule.values());

  @Option(
      names = "--phases",
      split = ",",
      description =
          "any of ${COMPLETION-CANDIDATES}; by default write,read, of the model write,mixed,read",
      paramLabel = "PHASE")
  private @Nullable List<Phase> phases;

  @Option(
      names = "--buffered",
      description = "for a file system without O_DIRECT: writes of both sides end with fsync")
  private boolean buffered;

  @Option(
      names = "--profile",
      description =
          "then run each phase under async-profiler, once on CPU and once by the clock; stacks go"
              + " to this directory",
      paramLabel = "DIR")
  private @Nullable Path profile;

  // Six: the first few are the compilers' as much as the engine's. Its process lives as long as its
  // case.
  @Mixin private final PairOptions pairs = new PairOptions(6, 7);
  @Mixin private final DataDirOption dataDir = new DataDirOption();
  @Mixin private final OutputOptions output = new OutputOptions();

  @Mixin private final LoadOptions load = new LoadOptions();
  @Mixin private final FloorOptions floor = new FloorOptions();

  private final TextTable table = StorageReport.table();
  private boolean sound = true;

  @Override
  public Integer call() throws Exception {
    pairs.check();
    List<StorageCase> cases = load.cases(device, StorageBench::say);
    if (device == Device.LOCAL) {
      floor.check(cases);
    }
    RunDirectory directory = RunDirectory.create("sluice-bench-", output.keep(), dataDir.path());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      long copies = phases().contains(Phase.mixed) ? 2 : 1;
      long sides = device == Device.LOCAL ? 2 : 1;
      DataDirectory.checkRoom(directory.path(), copies * sides * load.dataBytes());
      DataDirectory.checkDirect(Files.createDirectory(directory.path().resolve("probe")), buffered);
      int number = 0;
      for (StorageCase shape : cases) {
        Path own = Files.createDirectory(directory.path().resolve("case-" + number++));
        if (device == Device.LOCAL) {
          measure(group, shape, own);
        } else {
          model(group, shape, own);
        }
      }
    }
    say("\nmedians of at least " + (device == Device.LOCAL ? pairs.runs() : 1) + ":\n" + table);
    return sound ? ExitCode.OK : ExitCode.FAILED;
  }

  private List<Phase> phases() {
    List<Phase> asked = phases;
    if (asked == null) {
      asked = device == Device.LOCAL ? List.of(Phase.write, Phase.read) : Phase.USUAL;
    }
    // Reading needs something written.
    List<Phase> inOrder = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      if (phase == Phase.write || asked.contains(phase)) {
        inOrder.add(phase);
      }
    }
    return inOrder;
  }

  private void measure(ProcessGroup group, StorageCase shape, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    try (MeasuredSide engine = engine(group, EngineMain.LOCAL, shape, directory);
        MeasuredSide raw =
            MeasuredSide.start(
                group,
                FloorMain.class,
                List.of("-Xmx64m", "-XX:MaxDirectMemorySize=" + floor.directMemory(shape) + "m"),
                floor.arguments(directory.resolve("floor"), shape, !buffered),
                directory.resolve("floor"))) {
      // What goes through the page cache is written when the system likes.
      int turns = buffered ? 1 : DiskTurns.TURNS;
      new DiskTurns(engine, raw, new CacheLine(), turns, StorageBench::say)
          .run(shape, phases(), pairs.warmups(), pairs.runs())
          .forEach((phase, all) -> add(local(shape, phase, all)));
      if (profile != null) {
        profile(engine, shape, Profiler.unpackInto(directory), profile);
      }
    }
  }

  private void profile(MeasuredSide engine, StorageCase shape, Profiler profiler, Path target)
      throws IOException, ChildFailedException, InterruptedException {
    Files.createDirectories(target);
    for (Profiler.Event event : Profiler.Event.values()) {
      for (Phase phase : phases()) {
        profiler.start(engine.pid(), event);
        engine.run(phase);
        String name = "P" + shape.partitions() + "-" + phase + "-" + event + ".collapsed";
        profiler.stop(engine.pid(), target.resolve(name));
      }
    }
    say("Profiles are in " + target.toAbsolutePath());
  }

  private void model(ProcessGroup group, StorageCase shape, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    for (SeekRule rule : seeks) {
      Path own = Files.createDirectory(directory.resolve(rule.name()));
      PartitionFiles files = new PartitionFiles(shape, rule);
      try (MeasuredSide side = engine(group, rule.name(), shape, own)) {
        for (Phase phase : phases()) {
          PhaseFigures whole = files.sequential(phase);
          PhasePair engine = new PhasePair(side.run(phase), whole, 0);
          PhasePair layout = new PhasePair(files.run(phase), whole, 0);
          say(
              String.format(
                  Locale.ROOT,
                  "%s %s, seeks: %s: ratio %.2f, with a file per partition %.2f",
                  shape.name(),
                  phase,
                  rule,
                  engine.ratio(),
                  layout.ratio()));
          add(report("hdd-" + rule, shape, phase, engine));
          add(report("files-" + rule, shape, phase, layout));
        }
        side.discard();
      }
    }
  }

  private StorageReport local(StorageCase shape, Phase phase, List<PhasePair> all) {
    Counted<PhasePair> counted = Counted.of(all, pairs.runs(), PhasePair::lineNanos);
    return new StorageReport("local", shape, phase, counted);
  }

  private static StorageReport report(String name, StorageCase shape, Phase phase, PhasePair pair) {
    return new StorageReport(name, shape, phase, new Counted<>(List.of(pair), 0));
  }

  private static MeasuredSide engine(
      ProcessGroup group, String device, StorageCase shape, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    // Twice the arena: the last phase's is freed when it is collected.
    long direct = 2 * shape.arena() / MIB + OTHER_DIRECT_MIB;
    long partitions = (long) shape.shuffles() * shape.partitions();
    long heap = Math.max(HEAP_MIB, partitions * HEAP_PER_PARTITION / MIB);
    List<String> arguments = new ArrayList<>(List.of(device));
    arguments.add(directory.resolve("engine").toString());
    arguments.addAll(shape.arguments());
    return MeasuredSide.start(
        group,
        EngineMain.class,
        List.of(
            "-Xms" + heap + "m",
            "-Xmx" + heap + "m",
            "-XX:MaxDirectMemorySize=" + direct + "m",
            "-XX:+UseSerialGC",
            // So that profiles name the line, not the next safepoint.
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+DebugNonSafepoints",
            "-XX:+ExitOnOutOfMemoryError"),
        arguments,
        directory.resolve("engine-log"));
  }

  private void add(StorageReport report) {
    report.addTo(table);
    sound &= !report.impossible();
    try {
      output.append(report.json() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
