package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.Arguments;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.common.config.DataSize;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** How the raw disk is used: as the engine uses it, unless something else is asked for. */
final class FloorOptions {
  /** How the engine uses a local disk; see EngineMain. */
  private static final DiskOptions ENGINE = DiskOptions.of(DiskClass.SSD);

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
  private int writes = ENGINE.writesAtOnce();

  @Option(
      names = "--floor-reads",
      description = "reads of the raw disk under way at a time; by default as many as the engine's",
      paramLabel = "N")
  private int reads = ENGINE.readThreads();

  @Option(
      names = "--floor-read-unit",
      description = "what each of them reads, a whole part of a unit; by default as the engine's",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize readUnit = DataSize.ofBytes(ENGINE.reads().window());

  void check(List<StorageCase> cases) {
    Arguments.atLeast(1, "--floor-writes", writes);
    Arguments.atLeast(1, "--floor-reads", reads);
    Arguments.atLeast(ALIGNMENT, "--floor-read-unit", readUnit.toBytes());
    for (StorageCase shape : cases) {
      if (readUnit.toBytes() % ALIGNMENT != 0 || shape.unit() % readUnit.toBytes() != 0) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "--floor-read-unit must be a multiple of 4k, and a unit of "
                + DataSize.ofBytes(shape.unit())
                + " a multiple of it, not "
                + readUnit);
      }
    }
  }

  /** What FloorMain is called with. */
  List<String> arguments(Path directory, StorageCase shape, boolean direct) {
    return List.of(
        directory.toString(),
        Long.toString(shape.bytes()),
        Boolean.toString(direct),
        Integer.toString(writes),
        Integer.toString(shape.unit()),
        Integer.toString(reads),
        Integer.toString(readUnit.toIntBytes()),
        Long.toString(shape.arena()),
        Long.toString(shape.plan(0).blockBytes()));
  }

  /** In MiB: a buffer for each read and each write, and what blocks are copied into. */
  long directMemory(StorageCase shape) {
    long buffers = reads * readUnit.toBytes() + (long) writes * shape.unit();
    return (buffers + shape.arena()) / MIB + OTHER_DIRECT_MIB;
  }
}
