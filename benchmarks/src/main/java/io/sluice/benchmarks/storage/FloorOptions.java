package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.Arguments;
import io.sluice.benchmarks.storage.engine.StorageEngine;
import io.sluice.benchmarks.storage.floor.Accesses;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.Units;
import io.sluice.common.config.DataSize;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the raw disk is used: as the engine uses it, unless something else is asked for. */
final class FloorOptions {
  private static final int MIB = 1 << 20;
  private static final long MEMORY_MAX = 1 << 30;

  /** Of the floor's process, beside its buffers and the memory that it copies into. */
  private static final int OTHER_DIRECT_MIB = 64;

  @Option(
      names = "--floor-writes",
      description =
          "writes of the raw disk under way at a time, each of a unit to a file of its own; by"
              + " default as many as the engine's",
      paramLabel = "N")
  private @Nullable Integer writes;

  @Option(
      names = "--floor-write-memory",
      description =
          "that they write from, in turns; by default as much as the engine's staging buffers",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private @Nullable DataSize writeMemory;

  @Option(
      names = "--floor-reads",
      description = "reads of the raw disk under way at a time; by default as many as the engine's",
      paramLabel = "N")
  private @Nullable Integer reads;

  @Option(
      names = "--floor-read-unit",
      description = "what each of them reads, a whole part of a unit; by default as the engine's",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private @Nullable DataSize readUnit;

  @Option(
      names = "--floor-read-memory",
      description = "that they read into, in turns; by default as much as the engine's windows",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private @Nullable DataSize readMemory;

  /** In one case. */
  private record Use(Accesses writing, Accesses reading) {}

  void check(List<StorageCase> cases) {
    cases.forEach(this::use);
  }

  private Use use(StorageCase shape) {
    DiskOptions engine = StorageEngine.options(shape, DiskClass.SSD);
    int writing = orElse(writes, engine.writesAtOnce());
    int reading = orElse(reads, engine.readThreads());
    long piece = orElse(readUnit, engine.reads().window());
    Arguments.atLeast(1, "--floor-writes", writing);
    Arguments.atLeast(1, "--floor-reads", reading);
    Arguments.atLeast(Disk.ALIGNMENT, "--floor-read-unit", piece);
    if (piece % Disk.ALIGNMENT != 0 || shape.unit() % piece != 0) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "--floor-read-unit must be a multiple of 4k, and a unit of "
              + DataSize.ofBytes(shape.unit())
              + " a multiple of it, not "
              + DataSize.ofBytes(piece));
    }
    long staging = (long) shape.unit() * engine.stagingBuffers();
    return new Use(
        accesses(writing, shape.unit(), "--floor-write-memory", writeMemory, staging),
        accesses(reading, piece, "--floor-read-memory", readMemory, engine.reads().cache()));
  }

  private static int orElse(@Nullable Integer asked, int engine) {
    return asked == null ? engine : asked;
  }

  private static long orElse(@Nullable DataSize asked, long engine) {
    return asked == null ? engine : asked.toBytes();
  }

  /** In no less than a buffer for each, which is refused only to who has asked for it. */
  private static Accesses accesses(
      int underWay, long unit, String option, @Nullable DataSize memory, long engine) {
    if (memory != null) {
      Arguments.atLeast(underWay * unit, option, memory.toBytes());
    }
    // More than this is as little in any cache.
    long wanted = memory == null ? Math.min(engine, MEMORY_MAX) : memory.toBytes();
    long buffers = Math.max(underWay, wanted / unit);
    if (buffers * unit > MEMORY_MAX) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "the raw disk is used with "
              + Units.bytes(buffers * unit)
              + " of memory, which must be at most "
              + Units.bytes(MEMORY_MAX)
              + ": lower "
              + option
              + ", or what is under way");
    }
    return new Accesses(underWay, (int) unit, (int) buffers);
  }

  /** What FloorMain is called with. */
  List<String> arguments(Path directory, StorageCase shape, boolean direct) {
    Use use = use(shape);
    List<String> arguments = new ArrayList<>();
    arguments.add(directory.toString());
    arguments.add(Long.toString(shape.bytes()));
    arguments.add(Boolean.toString(direct));
    arguments.addAll(use.writing.arguments());
    arguments.addAll(use.reading.arguments());
    arguments.add(Long.toString(shape.arena()));
    arguments.add(Long.toString(shape.plan(0).blockBytes()));
    return arguments;
  }

  /** In MiB: what is written from and read into, and what blocks are copied into. */
  long directMemory(StorageCase shape) {
    Use use = use(shape);
    long buffers = use.writing.memory() + use.reading.memory();
    return (buffers + shape.arena()) / MIB + OTHER_DIRECT_MIB;
  }
}
