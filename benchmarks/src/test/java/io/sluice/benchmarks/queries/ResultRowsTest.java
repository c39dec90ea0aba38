package io.sluice.benchmarks.queries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultRowsTest {
  private final Path directory;

  ResultRowsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void readsWhatItWrote() throws IOException {
    ResultRows rows =
        new ResultRows(
            List.of(false, true, false),
            List.of(2, 0),
            List.of(
                Arrays.asList("tab\t, line\n\r, back\\slash", null, ""),
                Arrays.asList("\\N", "1.5E-7", " ")));
    Path file = directory.resolve("q1.rows");

    rows.write(file);

    assertThat(ResultRows.read(file)).isEqualTo(rows);
  }

  @Test
  void readsAResultWithoutKeysOrRows() throws IOException {
    ResultRows rows = new ResultRows(List.of(false), List.of(), List.of());
    Path file = directory.resolve("q1.rows");

    rows.write(file);

    assertThat(ResultRows.read(file)).isEqualTo(rows);
  }

  @Test
  void refusesAFileThatIsNoResult() throws IOException {
    Path file = Files.writeString(directory.resolve("q1.rows"), "false\n");

    assertThatThrownBy(() -> ResultRows.read(file))
        .isInstanceOf(IOException.class)
        .hasMessage(file + " is no result: it ends after its first line");
  }
}
