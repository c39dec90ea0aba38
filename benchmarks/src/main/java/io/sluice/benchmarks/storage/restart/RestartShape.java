package io.sluice.benchmarks.storage.restart;

import io.sluice.benchmarks.storage.load.BlockPlan;
import java.util.List;

/**
 * What lies on the disk: every partition has as many extents as any other.
 *
 * @param extents in all, a multiple of the partitions
 * @param extentsPerUnit as many as a full unit has of real size
 */
record RestartShape(int partitions, int extents, int extentsPerUnit) {
  /** Of a block: only the tables matter here, and those do not know how long a block is. */
  private static final int BLOCK_BYTES = 96;

  /** A unit of 1 GiB segments of 4 MiB units, in units as small as these. */
  private static final int UNITS_PER_SEGMENT = 256;

  private static final int PAGE = 4096;
  private static final int FIELDS = 3;

  RestartShape {
    if (partitions < 1 || extentsPerUnit < 1 || extents < 1 || extents % partitions != 0) {
      throw new IllegalArgumentException(
          extents + " extents of " + partitions + " partitions, " + extentsPerUnit + " in a unit");
    }
  }

  BlockPlan plan() {
    return new BlockPlan(0, 1, partitions, extents / partitions, 1, BLOCK_BYTES);
  }

  /** So that there are as many segments as there would be with extents of real size. */
  long segmentBytes() {
    long payload = (long) extentsPerUnit * (BLOCK_BYTES + BLOCK_BYTES / 2);
    return UNITS_PER_SEGMENT * (payload + 2 * PAGE);
  }

  List<String> arguments() {
    return List.of(
        Integer.toString(partitions), Integer.toString(extents), Integer.toString(extentsPerUnit));
  }

  static RestartShape parse(List<String> arguments) {
    if (arguments.size() != FIELDS) {
      throw new IllegalArgumentException("not " + FIELDS + " arguments: " + arguments);
    }
    return new RestartShape(
        Integer.parseInt(arguments.get(0)),
        Integer.parseInt(arguments.get(1)),
        Integer.parseInt(arguments.get(2)));
  }
}
