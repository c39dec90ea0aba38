package io.sluice.cli.cluster;

import java.util.List;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** What every command needs that asks a cluster. */
public final class ClusterOptions {
  /** How the answer is written. */
  enum Format {
    /** For people. */
    table,
    /** One object a line. */
    json
  }

  @Option(
      names = "--coordinator",
      split = ",",
      defaultValue = "localhost:7400",
      showDefaultValue = Visibility.ALWAYS,
      description = "host:port of any coordinator; several with commas",
      paramLabel = "HOST:PORT")
  private List<String> coordinators = List.of();

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "one of: ${COMPLETION-CANDIDATES}",
      paramLabel = "FORMAT")
  private Format format = Format.table;

  List<String> coordinators() {
    return coordinators;
  }

  boolean json() {
    return format == Format.json;
  }
}
