package io.sluice.cli.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How to start a child.
 *
 * @param name what messages call it
 * @param command program and arguments
 * @param environment added to what this process has
 * @param directory where it runs; exists
 * @param log file that gets its standard error, and its output; in a directory that exists
 * @param announcement tells which lines of its standard output its owner waits for
 */
public record ChildSpec(
    String name,
    List<String> command,
    Map<String, String> environment,
    Path directory,
    Path log,
    Predicate<String> announcement) {

  public ChildSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }
}
