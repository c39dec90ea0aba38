package io.sluice.cli.spark;

/**
 * What the tasks of a run report, summed up.
 *
 * @param shuffleBytes bytes that map tasks report as written (compressed)
 * @param shuffleRecords records that map tasks report as written
 * @param fetchWaitMillis time that reduce tasks spent waiting for shuffle bytes
 * @param spilledBytes bytes that tasks themselves put on disk besides the shuffle's output
 * @param memorySpilledBytes memory that tasks gave back by sending or writing what was in it before
 *     all their rows had come
 */
public record TaskFigures(
    long shuffleBytes,
    long shuffleRecords,
    long fetchWaitMillis,
    long spilledBytes,
    long memorySpilledBytes) {
  public static final TaskFigures NONE = new TaskFigures(0, 0, 0, 0, 0);
}
