package io.sluice.benchmarks.queries;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a result as text, kept in a file: a line for the columns, one for what the rows are
 * ordered by, one for each row. Immutable.
 *
 * @param approximate for each column, whether it is of a type whose sums depend on the order of
 *     rows
 * @param keys columns that the rows are ordered by, most significant first; none if the query does
 *     not order, or not by its own columns
 * @param rows in the order they came in; null for SQL's NULL
 */
public record ResultRows(
    List<Boolean> approximate, List<Integer> keys, List<List<@Nullable String>> rows) {
  private static final String NULL = "\\N";

  public ResultRows {
    approximate = List.copyOf(approximate);
    keys = List.copyOf(keys);
    rows = Collections.unmodifiableList(rows);
  }

  /** Writes a new file. */
  public void write(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.append(joined(approximate)).append('\n');
      out.append(joined(keys)).append('\n');
      for (List<@Nullable String> row : rows) {
        out.append(row.stream().map(ResultRows::escaped).collect(Collectors.joining("\t")));
        out.append('\n');
      }
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IOException if the file is no such result
   */
  static ResultRows read(Path file) throws IOException {
    try (BufferedReader in = Files.newBufferedReader(file, UTF_8)) {
      String columns = in.readLine();
      String keys = in.readLine();
      if (columns == null || keys == null) {
        throw new IOException(file + " is no result: it ends after its first line");
      }
      List<List<@Nullable String>> rows = new ArrayList<>();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        List<@Nullable String> row = new ArrayList<>();
        Arrays.stream(line.split("\t", -1)).map(ResultRows::unescaped).forEach(row::add);
        rows.add(row);
      }
      return new ResultRows(
          words(columns).map(Boolean::valueOf).toList(),
          words(keys).map(Integer::valueOf).toList(),
          rows);
    }
  }

  private static String joined(List<?> values) {
    return values.stream().map(Object::toString).collect(Collectors.joining(" "));
  }

  private static Stream<String> words(String line) {
    return Arrays.stream(line.split(" ", -1)).filter(word -> !word.isEmpty());
  }

  private static String escaped(@Nullable String cell) {
    return cell == null
        ? NULL
        : cell.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
  }

  private static @Nullable String unescaped(String text) {
    if (text.equals(NULL)) {
      return null;
    }
    StringBuilder cell = new StringBuilder();
    boolean escaped = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (escaped) {
        cell.append(
            switch (c) {
              case 't' -> '\t';
              case 'n' -> '\n';
              case 'r' -> '\r';
              default -> '\\';
            });
        escaped = false;
      } else if (c == '\\') {
        escaped = true;
      } else {
        cell.append(c);
      }
    }
    return cell.toString();
  }
}
