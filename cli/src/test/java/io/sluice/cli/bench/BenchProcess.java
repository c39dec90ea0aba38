package io.sluice.cli.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.HostPort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A load that does not come to its end by itself, in a process that a signal can end. */
final class BenchProcess implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final LinkedBlockingQueue<String> said = new LinkedBlockingQueue<>();

  private BenchProcess(Process process) {
    this.process = process;
    // A pipe cannot be read with a deadline.
    Thread reader = new Thread(this::read, "what the bench says");
    reader.setDaemon(true);
    reader.start();
  }

  static BenchProcess start(HostPort coordinator, String... more) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.sluice.cli.Sluice",
                "bench",
                "--size",
                "1t",
                "--block-size",
                "2m",
                "--coordinator",
                coordinator.toString()));
    command.addAll(List.of(more));
    return new BenchProcess(new ProcessBuilder(command).start());
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getErrorStream(), UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it says something that begins like this, and returns that line. */
  String says(String beginning) throws InterruptedException {
    List<String> before = new ArrayList<>();
    while (true) {
      String line = said.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(line).as("'%s' after %s", beginning, before).isNotNull();
      if (line.startsWith(beginning)) {
        return line;
      }
      before.add(line);
    }
  }

  /** As Ctrl-C does. */
  void signal() {
    // Not the process's own, which closes what it says as well.
    process.toHandle().destroy();
  }

  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
