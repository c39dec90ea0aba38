package io.sluice.benchmarks.queries;

import io.sluice.cli.spark.Fields;

/**
 * What a driver answers.
 *
 * @param wallNanos from the text of the query until all rows are with the driver
 * @param rows of the result
 * @param shuffleBytes written to shuffles, compressed
 * @param shuffleRecords written to shuffles
 */
public record QueryAnswer(long wallNanos, long rows, long shuffleBytes, long shuffleRecords) {

  double seconds() {
    return wallNanos / 1e9;
  }

  static QueryAnswer parse(String line) {
    Fields fields = Fields.parse(line);
    return new QueryAnswer(
        fields.number("wall_ns"),
        fields.number("rows"),
        fields.number("shuffle_bytes"),
        fields.number("shuffle_records"));
  }

  /** The line that {@link #parse} reads. */
  public String format() {
    return new Fields()
        .put("wall_ns", wallNanos)
        .put("rows", rows)
        .put("shuffle_bytes", shuffleBytes)
        .put("shuffle_records", shuffleRecords)
        .toString();
  }
}
