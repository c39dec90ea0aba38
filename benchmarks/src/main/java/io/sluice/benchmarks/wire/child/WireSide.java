package io.sluice.benchmarks.wire.child;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The owner's end of one of the two processes. One thread's. */
public final class WireSide implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  private final ProcessGroup group;
  private final ChildProcess process;
  private final String ready;

  private WireSide(ProcessGroup group, ChildProcess process)
      throws ChildFailedException, InterruptedException {
    this.group = group;
    this.process = process;
    this.ready = answer();
  }

  /**
   * Starts a process and waits until it is ready.
   *
   * @param flags of its JVM
   * @param directory for its log
   */
  public static WireSide start(
      ProcessGroup group, Class<?> main, List<String> flags, List<String> arguments, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    Files.createDirectories(directory);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    ChildSpec spec =
        new ChildSpec(
            main.getSimpleName(),
            command,
            Map.of(),
            Path.of("").toAbsolutePath(),
            directory.resolve("log"),
            line -> line.startsWith("@"));
    return new WireSide(group, group.start(spec));
  }

  /** What it said when it was ready. */
  public String ready() {
    return ready;
  }

  /** Has a command carried out; returns the answer. */
  public String ask(String command) throws ChildFailedException, InterruptedException {
    process.send(command);
    return answer();
  }

  private String answer() throws ChildFailedException, InterruptedException {
    String line = process.awaitAnnouncement(DEADLINE);
    if (line.startsWith(CommandLoop.FAILED)) {
      throw new CommandFailedException(
          ExitCode.FAILED,
          process.name() + " failed: " + line.substring(CommandLoop.FAILED.length()));
    }
    return line.substring(CommandLoop.DONE.length());
  }

  @Override
  public void close() {
    group.end(process);
  }
}
