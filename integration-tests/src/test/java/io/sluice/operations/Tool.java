package io.sluice.operations;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A program of this machine.
 *
 * @param path of the program
 */
public record Tool(Path path) {
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  /**
   * What a run came to.
   *
   * @param output both streams
   */
  public record Outcome(int exitCode, String output) {
    /** The output, if the program was content. */
    public String orFail() {
      assertThat(exitCode).as(output).isZero();
      return output;
    }
  }

  /** A program on the path, or where Go installs what it builds. */
  public static Optional<Tool> find(String name) {
    Stream<Path> path =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .filter(entry -> !entry.isEmpty())
            .map(Path::of);
    Stream<Path> own =
        Stream.of(Path.of("/usr/sbin"), Path.of(System.getProperty("user.home"), "go", "bin"));
    return Stream.concat(path, own)
        .map(directory -> directory.resolve(name))
        .filter(Files::isExecutable)
        .map(Tool::new)
        .findFirst();
  }

  /** A program without which the test is skipped; docs/testing.md says how it is had. */
  public static Tool orSkip(String name) {
    Optional<Tool> tool = find(name);
    Assumptions.assumeTrue(tool.isPresent(), name + " is not on this machine");
    return tool.orElseThrow();
  }

  /** Runs it to its end. */
  public Outcome run(Path directory, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    return run(DEADLINE, directory, environment, arguments);
  }

  /** Runs it to its end, which may take so long. */
  public Outcome run(
      Duration deadline, Path directory, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(path.toString()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile("sluice-tool", ".log");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      if (!process.waitFor(deadline.toSeconds(), TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new IOException(command + " ran for too long:\n" + Files.readString(output, UTF_8));
      }
      return new Outcome(process.exitValue(), Files.readString(output, UTF_8));
    } finally {
      Files.delete(output);
    }
  }

  Outcome run(String... arguments) throws IOException, InterruptedException {
    return run(Distribution.sources(), Map.of(), arguments);
  }
}
