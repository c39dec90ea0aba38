package io.sluice.cli.spark;

/**
 * What a run gave and took, as its driver saw it.
 *
 * @param wallNanos from asking for the result until having it
 * @param gcMillis collection time: of the driver's JVM, and of executors where they are other JVMs
 * @param shuffleBytes bytes that map tasks report as written (compressed)
 * @param shuffleRecords records that map tasks report as written
 * @param fetchWaitMillis summed over reduce tasks, time spent waiting for shuffle bytes
 * @param spilledBytes bytes that tasks themselves put on disk besides the shuffle's output
 * @param memorySpilledBytes memory that tasks gave back by sending or writing what was in it before
 *     all their rows had come
 */
public record JobResult(
    Fingerprint fingerprint,
    long wallNanos,
    long gcMillis,
    long shuffleBytes,
    long shuffleRecords,
    long fetchWaitMillis,
    long spilledBytes,
    long memorySpilledBytes) {

  public double seconds() {
    return wallNanos / 1e9;
  }

  public static JobResult parse(String line) {
    Fields fields = Fields.parse(line);
    return new JobResult(
        new Fingerprint(
            fields.number("rows"),
            fields.number("sum"),
            fields.number("xor"),
            fields.flag("ordered")),
        fields.number("wall_ns"),
        fields.number("gc_ms"),
        fields.number("shuffle_bytes"),
        fields.number("shuffle_records"),
        fields.number("fetch_wait_ms"),
        fields.number("spilled_bytes"),
        fields.number("memory_spilled_bytes"));
  }

  public String format() {
    return new Fields()
        .put("rows", fingerprint.rows())
        .put("sum", fingerprint.sum())
        .put("xor", fingerprint.xor())
        .put("ordered", fingerprint.ordered())
        .put("wall_ns", wallNanos)
        .put("gc_ms", gcMillis)
        .put("shuffle_bytes", shuffleBytes)
        .put("shuffle_records", shuffleRecords)
        .put("fetch_wait_ms", fetchWaitMillis)
        .put("spilled_bytes", spilledBytes)
        .put("memory_spilled_bytes", memorySpilledBytes)
        .toString();
  }
}
