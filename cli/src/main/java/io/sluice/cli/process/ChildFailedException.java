package io.sluice.cli.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A child did not start, ended early or kept silent. The message names it and ends with its log's
 * tail.
 */
public final class ChildFailedException extends Exception {
  private static final long serialVersionUID = 1;
  private static final int TAIL_LINES = 12;

  ChildFailedException(String name, String what, Path log) {
    super(name + " " + what + "; the end of " + log + ":\n" + tail(log));
  }

  private static String tail(Path log) {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    } catch (IOException unreadable) {
      return "(cannot be read: " + unreadable.getMessage() + ")";
    }
  }
}
