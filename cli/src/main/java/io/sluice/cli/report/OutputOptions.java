package io.sluice.cli.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a command that measures something leaves behind; to be mixed in. */
public final class OutputOptions {
  @Option(
      names = "--json",
      description = "append a JSON object for each result to this file",
      paramLabel = "FILE")
  private @Nullable Path json;

  @Option(names = "--keep", description = "keep logs and data of the run")
  private boolean keep;

  /** Whether the run's directory stays. */
  public boolean keep() {
    return keep;
  }

  /** The file for results, or null if none was named. */
  public @Nullable Path json() {
    return json;
  }

  /** Appends lines to the file for results, if there is one. */
  public void append(String lines) throws IOException {
    if (json != null) {
      Files.writeString(json, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }
}
