package io.sluice.cli.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Columns set apart by two spaces: the first flush left, the others right, or all of them left. A
 * cell of several lines goes on below itself. Built by one thread.
 */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();
  private final boolean words;

  /** Of figures, mostly. */
  public TextTable(String... header) {
    this(false, header);
  }

  private TextTable(boolean words, String... header) {
    this.words = words;
    rows.add(List.of(header));
  }

  /** Of words: all columns are flush left. */
  public static TextTable ofWords(String... header) {
    return new TextTable(true, header);
  }

  public TextTable add(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(cells.length + " cells under " + rows.get(0));
    }
    rows.add(List.of(cells));
    return this;
  }

  @Override
  public String toString() {
    List<List<String>> lines = new ArrayList<>();
    rows.forEach(row -> lines.addAll(lines(row)));
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> line : lines) {
      for (int c = 0; c < columns; c++) {
        widths[c] = Math.max(widths[c], line.get(c).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> cells : lines) {
      StringBuilder line = new StringBuilder();
      for (int c = 0; c < columns; c++) {
        String padding = " ".repeat(widths[c] - cells.get(c).length());
        line.append(c == 0 ? "" : "  ");
        line.append(c == 0 || words ? cells.get(c) + padding : padding + cells.get(c));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** A row as so many lines as its longest cell has. */
  private static List<List<String>> lines(List<String> row) {
    List<List<String>> cells = row.stream().map(cell -> List.of(cell.split("\n", -1))).toList();
    int height = cells.stream().mapToInt(List::size).max().orElse(1);
    List<List<String>> lines = new ArrayList<>();
    for (int i = 0; i < height; i++) {
      int at = i;
      lines.add(cells.stream().map(cell -> at < cell.size() ? cell.get(at) : "").toList());
    }
    return lines;
  }
}
