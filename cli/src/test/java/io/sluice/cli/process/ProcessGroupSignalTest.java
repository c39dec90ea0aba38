package io.sluice.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In a process of its own, because a signal ends it. */
class ProcessGroupSignalTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path directory;

  @ParameterizedTest
  @CsvSource({"INT,2,130", "TERM,15,143"})
  @Timeout(60)
  void aSignalEndsTheChildrenAndSaysWhich(String signal, int number, int exitCode)
      throws Exception {
    // Shells start what runs in the background with SIGINT ignored, and a JVM leaves it so.
    assumeFalse(ignored(number), () -> "SIG" + signal + " is ignored by this process");
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

  private static boolean ignored(int signal) throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    String mask =
        Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .map(line -> line.substring("SigIgn:".length()).trim())
            .findFirst()
            .orElse("0");
    return (Long.parseUnsignedLong(mask, 16) >>> (signal - 1) & 1) == 1;
  }
}
