package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.Arguments;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.Units;
import io.sluice.common.config.DataSize;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is pushed and fetched, and with what memory. */
final class LoadOptions {
  /** A file smaller than this many arenas says little about the disk. */
  private static final int ARENAS_MIN = 4;

  private static final int ARENAS = 8;
  private static final long MIB = 1 << 20;
  // Half of it is for the seeds of 512 connections, of 64 KiB each, by the server's defaults.
  private static final long ARENA_MIN = 64 * MIB;
  // Tables of a million partitions would be measured, and not the disk.
  private static final long PARTITIONS_MAX = 250_000;
  // As server.disk.unit, which must hold two of the largest blocks.
  private static final long UNIT_MIN = 4 * MIB;
  private static final long UNIT_MAX = 64 * MIB;
  private static final long ALIGNMENT = 4096;
  // The default of spark.sql.files.maxPartitionBytes.
  private static final DataSize MAP_OUTPUT = DataSize.parse("128m");

  @Option(
      names = "--partitions",
      split = ",",
      description = "one case for each, with commas",
      paramLabel = "N")
  private List<Integer> partitions = List.of(200, 2_000, 20_000);

  @Option(
      names = "--shuffles",
      split = ",",
      description =
          "open at once, each with so many partitions; by default 1, of the modelled disk 1,100",
      paramLabel = "N")
  private @Nullable List<Integer> shuffles;

  @Option(
      names = "--data",
      description = "pushed by each phase that writes",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize data = DataSize.parse("4g");

  @Option(
      names = "--memory",
      description = "memory for blocks; by default an eighth of the data, at most a quarter",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private @Nullable DataSize memory;

  @Option(
      names = "--unit",
      description = "the disk's unit; by default 4m, of the modelled disk 8m",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private @Nullable DataSize unit;

  @Option(
      names = "--map-output",
      split = ",",
      description =
          "pushed by one map task, one case for each, with commas: divided by the partitions it"
              + " gives the size of blocks, at most 170k; by default as much as Spark has a task"
              + " read of a file",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private List<DataSize> mapOutputs = List.of(MAP_OUTPUT);

  @Option(names = "--writers", description = "connections that push at once", paramLabel = "N")
  private int writers = 2;

  @Option(
      names = "--readers",
      description = "reduce tasks that fetch at once, a partition each; all the same one if shared",
      paramLabel = "N")
  private int readers = 16;

  @Option(
      names = "--ranges",
      description = "of maps that each partition is fetched in, by that phase",
      paramLabel = "N")
  private int ranges = 16;

  /** The cases asked for, but for those that are too large to mean anything. */
  List<StorageCase> cases(Device device, Consumer<String> notes) {
    check();
    List<StorageCase> cases = new ArrayList<>();
    for (int open : shuffles(device)) {
      for (int each : partitions) {
        if ((long) open * each > PARTITIONS_MAX) {
          notes.accept("left out: " + open + " shuffles of " + each + " partitions each");
        } else {
          mapOutputs.forEach(map -> cases.add(shape(each, open, map, device)));
        }
      }
    }
    if (cases.isEmpty()) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "no case is left: shuffles times partitions must be at most " + PARTITIONS_MAX);
    }
    return cases;
  }

  private StorageCase shape(int each, int open, DataSize map, Device device) {
    return new StorageCase(
        each, open, data.toBytes(), arena(), unit(device), map.toBytes(), writers, readers, ranges);
  }

  private void check() {
    partitions.forEach(each -> Arguments.atLeast(1, "--partitions", each));
    if (shuffles != null) {
      shuffles.forEach(each -> Arguments.atLeast(1, "--shuffles", each));
    }
    Arguments.atLeast(1, "--writers", writers);
    Arguments.atLeast(1, "--readers", readers);
    Arguments.atLeast(1, "--ranges", ranges);
    mapOutputs.forEach(each -> Arguments.atLeast(MIB, "--map-output", each.toBytes()));
    if (unit != null) {
      Arguments.atLeast(UNIT_MIN, "--unit", unit.toBytes());
      if (unit.toBytes() > UNIT_MAX || unit.toBytes() % ALIGNMENT != 0) {
        throw new CommandFailedException(
            ExitCode.USAGE, "--unit must be a multiple of 4k, at most 64m, not " + unit);
      }
    }
  }

  long dataBytes() {
    return data.toBytes();
  }

  private long arena() {
    long arena = (memory == null ? data.toBytes() / ARENAS : memory.toBytes()) / MIB * MIB;
    if (arena < ARENA_MIN) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "memory for blocks must be at least "
              + Units.bytes(ARENA_MIN)
              + ", not "
              + Units.bytes(arena)
              + ": raise --data, of which it is an eighth, or --memory");
    }
    if (arena * ARENAS_MIN > data.toBytes()) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "--data "
              + data
              + " is less than "
              + ARENAS_MIN
              + " times the memory of "
              + Units.bytes(arena));
    }
    return arena;
  }

  private List<Integer> shuffles(Device device) {
    if (shuffles != null) {
      return shuffles;
    }
    return device == Device.LOCAL ? List.of(1) : List.of(1, 100);
  }

  private int unit(Device device) {
    DataSize byDefault = DataSize.parse(device == Device.LOCAL ? "4m" : "8m");
    return (unit == null ? byDefault : unit).toIntBytes();
  }
}
