package io.sluice.benchmarks.queries;

import io.sluice.cli.spark.Fields;
import java.nio.file.Path;

/**
 * What a driver is asked.
 *
 * @param kind what to do
 * @param suite {@code tpcds} or {@code tpch}
 * @param scale of the data
 * @param data folder of the data
 * @param sql file of the query; empty for data
 * @param output file that gets the rows; empty for data
 * @param adaptive whether plans may change while they run
 */
public record QueryRequest(
    Kind kind, String suite, double scale, Path data, Path sql, Path output, boolean adaptive) {

  /** What can be asked. */
  public enum Kind {
    /** To make the data where it is not there, and to name its tables. */
    OPEN,
    /** To run a query. */
    QUERY
  }

  /** To open data. */
  static QueryRequest open(String suite, double scale, Path data) {
    return new QueryRequest(Kind.OPEN, suite, scale, data, Path.of(""), Path.of(""), false);
  }

  /** To run a query on the data opened last. */
  static QueryRequest query(Path sql, Path output, boolean adaptive) {
    return new QueryRequest(Kind.QUERY, "", 0, Path.of(""), sql, output, adaptive);
  }

  /** Reads what {@link #format} wrote. */
  public static QueryRequest parse(String line) {
    Fields fields = Fields.parse(line);
    return new QueryRequest(
        Kind.valueOf(fields.text("kind")),
        fields.text("suite"),
        Double.parseDouble(fields.text("scale")),
        Path.of(fields.text("data")),
        Path.of(fields.text("sql")),
        Path.of(fields.text("output")),
        fields.flag("adaptive"));
  }

  String format() {
    return new Fields()
        .put("kind", kind)
        .put("suite", suite)
        .put("scale", scale)
        .put("data", data)
        .put("sql", sql)
        .put("output", output)
        .put("adaptive", adaptive)
        .toString();
  }
}
