package io.sluice.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Fenced blocks of a Markdown document, in order. */
final class Fences {
  private static final String FENCE = "```";

  private Fences() {}

  /** The text of those blocks that are of a language. */
  static List<String> of(Path document, String language) throws IOException {
    List<String> blocks = new ArrayList<>();
    StringBuilder block = new StringBuilder();
    boolean inside = false;
    boolean wanted = false;
    for (String line : Files.readAllLines(document)) {
      if (!line.startsWith(FENCE)) {
        block.append(wanted ? line + "\n" : "");
      } else if (inside) {
        if (wanted) {
          blocks.add(block.toString());
        }
        inside = false;
        wanted = false;
      } else {
        inside = true;
        wanted = line.equals(FENCE + language);
        block.setLength(0);
      }
    }
    return blocks;
  }
}
