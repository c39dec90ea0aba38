package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.Arguments;
import io.sluice.benchmarks.storage.engine.StorageEngine;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.common.config.DataSize;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the raw disk is used: as the engine uses it, unless something else is asked for. */
final class FloorOptions {
  private static final int ALIGNMENT = 4096;
  private static final int MIB = 1 << 20;

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

  /**
   * In one case.
   *
   * @param unit bytes of a write
   * @param readUnit bytes of a read
   * @param readBuffers of so many bytes, which are read into in turns
   */
  private record Use(int writes, int unit, int reads, int readUnit, int readBuffers) {}

  void check(List<StorageCase> cases) {
    cases.forEach(this::use);
  }

  private Use use(StorageCase shape) {
    DiskOptions engine = StorageEngine.options(shape, DiskClass.SSD);
    int writing = writes == null ? engine.writesAtOnce() : writes;
    int reading = reads == null ? engine.readThreads() : reads;
    long piece = readUnit == null ? engine.reads().window() : readUnit.toBytes();
    Arguments.atLeast(1, "--floor-writes", writing);
    Arguments.atLeast(1, "--floor-reads", reading);
    Arguments.atLeast(ALIGNMENT, "--floor-read-unit", piece);
    if (piece % ALIGNMENT != 0 || shape.unit() % piece != 0) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "--floor-read-unit must be a multiple of 4k, and a unit of "
              + DataSize.ofBytes(shape.unit())
              + " a multiple of it, not "
              + DataSize.ofBytes(piece));
    }
    long memory = readMemory == null ? engine.reads().cache() : readMemory.toBytes();
    long least = readMemory == null ? 0 : reading * piece;
    Arguments.atLeast(least, "--floor-read-memory", memory);
    int buffers = Math.toIntExact(Math.max(reading, memory / piece));
    return new Use(writing, shape.unit(), reading, (int) piece, buffers);
  }

  /** What FloorMain is called with. */
  List<String> arguments(Path directory, StorageCase shape, boolean direct) {
    Use use = use(shape);
    return List.of(
        directory.toString(),
        Long.toString(shape.bytes()),
        Boolean.toString(direct),
        Integer.toString(use.writes),
        Integer.toString(use.unit),
        Integer.toString(use.reads),
        Integer.toString(use.readUnit),
        Integer.toString(use.readBuffers),
        Long.toString(shape.arena()),
        Long.toString(shape.plan(0).blockBytes()));
  }

  /** In MiB: a buffer for each write, those to read into, and what blocks are copied into. */
  long directMemory(StorageCase shape) {
    Use use = use(shape);
    long buffers = (long) use.writes * use.unit + (long) use.readBuffers * use.readUnit;
    return (buffers + shape.arena()) / MIB + OTHER_DIRECT_MIB;
  }
}
