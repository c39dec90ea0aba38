package io.sluice.benchmarks.suites;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuiteProcessTest {
  private final Path log;

  SuiteProcessTest(@TempDir Path directory) {
    log = directory.resolve("log");
  }

  @ParameterizedTest
  @CsvSource({
    "a.First *** ABORTED ***, true",
    "*** RUN ABORTED ***, true",
    "*** 1 SUITE ABORTED ***, true",
    "*** 2 SUITES ABORTED ***, true",
    "- aborts jobs *** FAILED ***, false",
    "'Suites: completed 1, aborted 0', false"
  })
  void knowsWhatGaveUp(String line, boolean aborted) throws IOException {
    Files.writeString(log, "Run starting.\n\u001B[31m" + line + "\u001B[0m\nRun completed.\n");

    assertThat(SuiteProcess.saysAborted(log)).isEqualTo(aborted);
  }
}
