package io.sluice.benchmarks.child;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.service.ServerJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The owner's end of a process that is measured. One thread's. */
public final class MeasuredChild implements AutoCloseable {
  private final ProcessGroup group;
  private final ChildProcess process;
  private final Duration deadline;
  private final String ready;

  private MeasuredChild(ProcessGroup group, ChildProcess process, Duration deadline)
      throws ChildFailedException, InterruptedException {
    this.group = group;
    this.process = process;
    this.deadline = deadline;
    this.ready = answer();
  }

  /**
   * What to start.
   *
   * @param main serves a {@link CommandLoop}
   * @param flags of its JVM
   */
  public record Program(Class<?> main, List<String> flags, List<String> arguments) {}

  /**
   * Starts a process, with a server's environment, and waits until it is ready.
   *
   * @param directory for its log
   * @param deadline of each of its answers
   */
  public static MeasuredChild start(
      ProcessGroup group, Program program, Path directory, Duration deadline)
      throws IOException, ChildFailedException, InterruptedException {
    Files.createDirectories(directory);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(program.flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.main.getName()));
    command.addAll(program.arguments);
    ChildSpec spec =
        new ChildSpec(
            program.main.getSimpleName(),
            command,
            ServerJvm.environment(),
            Path.of("").toAbsolutePath(),
            directory.resolve("log"),
            line -> line.startsWith("@"));
    return new MeasuredChild(group, group.start(spec), deadline);
  }

  /** What it said when it was ready. */
  public String ready() {
    return ready;
  }

  public long pid() {
    return process.pid();
  }

  /** Has a command carried out; returns the answer. */
  public String ask(String command) throws ChildFailedException, InterruptedException {
    process.send(command);
    return answer();
  }

  private String answer() throws ChildFailedException, InterruptedException {
    String line = process.awaitAnnouncement(deadline);
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
