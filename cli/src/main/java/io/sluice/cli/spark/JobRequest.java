package io.sluice.cli.spark;

/**
 * One run of one workload.
 *
 * @param workload name of the workload, as on the command line
 * @param rows input rows; the text workload takes its input from {@code text} instead
 * @param partitions reduce partitions
 * @param maps map tasks that generate the input
 * @param compressible whether rows compress well, or not at all
 * @param text file or directory of the text to count words of; empty for the others
 * @param inputOnly makes and digests the workload's input, and shuffles nothing
 */
public record JobRequest(
    String workload,
    long rows,
    int partitions,
    int maps,
    boolean compressible,
    String text,
    boolean inputOnly) {

  /** The same workload's input, without its shuffle. */
  public JobRequest withoutShuffle() {
    return new JobRequest(workload, rows, partitions, maps, compressible, text, true);
  }

  public static JobRequest parse(String line) {
    Fields fields = Fields.parse(line);
    return new JobRequest(
        fields.text("workload"),
        fields.number("rows"),
        Math.toIntExact(fields.number("partitions")),
        Math.toIntExact(fields.number("maps")),
        fields.flag("compressible"),
        fields.text("text"),
        fields.flag("input_only"));
  }

  public String format() {
    return new Fields()
        .put("workload", workload)
        .put("rows", rows)
        .put("partitions", partitions)
        .put("maps", maps)
        .put("compressible", compressible)
        .put("text", text)
        .put("input_only", inputOnly)
        .toString();
  }
}
