package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.storage.load.BlockPlan;
import io.sluice.cli.report.Units;
import java.util.List;

/**
 * One shape of load. Sizes in bytes.
 *
 * @param shuffles open at once, each with so many partitions
 * @param bytes pushed by a phase that writes
 * @param arena memory for blocks
 * @param unit the disk's
 * @param mapBytes pushed by one map task
 * @param writers connections that push
 * @param readers reduce tasks that fetch at once
 * @param ranges of maps that each partition is fetched in, where it is fetched in ranges
 */
public record StorageCase(
    int partitions,
    int shuffles,
    long bytes,
    long arena,
    int unit,
    long mapBytes,
    int writers,
    int readers,
    int ranges) {

  private static final int FIELDS = 9;

  /** The blocks of a round of this case. */
  public BlockPlan plan(int round) {
    return BlockPlan.of(round, shuffles, partitions, bytes, mapBytes);
  }

  /** As arguments of a process; {@link #parse} reads them. */
  public List<String> arguments() {
    return List.of(
        Integer.toString(partitions),
        Integer.toString(shuffles),
        Long.toString(bytes),
        Long.toString(arena),
        Integer.toString(unit),
        Long.toString(mapBytes),
        Integer.toString(writers),
        Integer.toString(readers),
        Integer.toString(ranges));
  }

  public static StorageCase parse(List<String> arguments) {
    if (arguments.size() != FIELDS) {
      throw new IllegalArgumentException("not " + FIELDS + " arguments: " + arguments);
    }
    return new StorageCase(
        Integer.parseInt(arguments.get(0)),
        Integer.parseInt(arguments.get(1)),
        Long.parseLong(arguments.get(2)),
        Long.parseLong(arguments.get(3)),
        Integer.parseInt(arguments.get(4)),
        Long.parseLong(arguments.get(5)),
        Integer.parseInt(arguments.get(6)),
        Integer.parseInt(arguments.get(7)),
        Integer.parseInt(arguments.get(8)));
  }

  /** For tables. */
  public String name() {
    String open = shuffles == 1 ? "" : " x " + shuffles + " shuffles";
    return "P=" + partitions + open + ", blocks of " + Units.bytes(plan(0).blockBytes());
  }
}
