package io.sluice.cli.spark;

/**
 * What a run gave and took, as its driver saw it.
 *
 * @param wallNanos from asking for the result until having it
 * @param gcMillis collection time: of the driver's JVM, and of executors where they are other JVMs
 * @param tasks what its tasks report
 */
public record JobResult(Fingerprint fingerprint, long wallNanos, long gcMillis, TaskFigures tasks) {

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
        new TaskFigures(
            fields.number("shuffle_bytes"),
            fields.number("shuffle_records"),
            fields.number("fetch_wait_ms"),
            fields.number("spilled_bytes"),
            fields.number("memory_spilled_bytes")));
  }

  public String format() {
    return new Fields()
        .put("rows", fingerprint.rows())
        .put("sum", fingerprint.sum())
        .put("xor", fingerprint.xor())
        .put("ordered", fingerprint.ordered())
        .put("wall_ns", wallNanos)
        .put("gc_ms", gcMillis)
        .put("shuffle_bytes", tasks.shuffleBytes())
        .put("shuffle_records", tasks.shuffleRecords())
        .put("fetch_wait_ms", tasks.fetchWaitMillis())
        .put("spilled_bytes", tasks.spilledBytes())
        .put("memory_spilled_bytes", tasks.memorySpilledBytes())
        .toString();
  }
}
