package io.sluice.benchmarks.storage.restart;

import io.sluice.benchmarks.child.CommandLoop;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The process that fills a directory, or the one that serves from it: {@code fill|PARTITION
 * DIRECTORY SHAPE...}. Both end without an end.
 */
public final class RestartMain {
  static final String FILL = "fill";

  private static final int SHAPE_ARGUMENT = 2;

  private RestartMain() {}

  public static void main(String[] args) throws Exception {
    List<String> arguments = Arrays.asList(args);
    RestartShape shape = RestartShape.parse(arguments.subList(SHAPE_ARGUMENT, arguments.size()));
    ManyExtents extents = new ManyExtents(Path.of(arguments.get(1)), shape);
    if (arguments.get(0).equals(FILL)) {
      extents.fill(() -> die(""));
    } else {
      extents.serve(Integer.parseInt(arguments.get(0)), figures -> die(figures.format()));
    }
  }

  /** As if killed: nothing is closed, and the catalog's log is what it has written by then. */
  private static void die(String answer) {
    CommandLoop.answer(answer);
    Runtime.getRuntime().halt(0);
  }
}
