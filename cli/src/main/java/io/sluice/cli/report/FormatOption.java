package io.sluice.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** How an answer is written; to be mixed in. */
public final class FormatOption {
  /** For whom. */
  enum Format {
    /** For people. */
    table,
    /** One document. */
    json,
    /** One document. */
    yaml
  }

  @Option(
      names = {"-o", "--output", "--format"},
      defaultValue = "table",
      description = "one of: ${COMPLETION-CANDIDATES}",
      paramLabel = "FORMAT")
  private Format format = Format.table;

  /** An answer as it is wanted. */
  public String write(JsonNode answer, Supplier<String> table) {
    return switch (format) {
      case table -> table.get();
      case json -> Structured.json(answer);
      case yaml -> Structured.yaml(answer);
    };
  }

  /** One of a row of objects: a line in JSON, a member of one list in YAML. */
  public String writeNext(JsonNode object, Supplier<String> line) {
    return switch (format) {
      case table -> line.get();
      case json -> object + "\n";
      case yaml -> Structured.yaml(List.of(object));
    };
  }
}
