package io.sluice.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In a process of its own, because a signal ends it. */
class ProcessGroupSignalTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path directory;

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143"})
  void aSignalEndsTheChildrenAndSaysWhich(String signal, int exitCode) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                SignalledProcess.class.getName(),
                directory.toString())
            .start();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      assertThat(output.readLine()).isEqualTo("ready");

      new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();

      assertThat(output.lines()).containsExactly("afterwards", "stopped second, first");
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(exitCode);
    } finally {
      process.destroyForcibly();
    }
  }
}
