package io.sluice.benchmarks.storage.child;

import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
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

/** The owner's end. One thread's. */
public final class MeasuredSide implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(1);
  private static final Duration PHASE = Duration.ofMinutes(30);

  private final ProcessGroup group;
  private final ChildProcess process;

  private MeasuredSide(ProcessGroup group, ChildProcess process) {
    this.group = group;
    this.process = process;
  }

  /**
   * Starts a process, with a server's environment, and waits until it is ready.
   *
   * @param flags of its JVM
   * @param directory for its log and its files
   */
  public static MeasuredSide start(
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
            ServerJvm.environment(),
            Path.of("").toAbsolutePath(),
            directory.resolve("log"),
            line -> line.startsWith("@"));
    MeasuredSide side = new MeasuredSide(group, group.start(spec));
    side.answer(START);
    return side;
  }

  public long pid() {
    return process.pid();
  }

  /** Runs a phase to its end. */
  public PhaseFigures run(Phase phase) throws ChildFailedException, InterruptedException {
    process.send(phase.name());
    return PhaseFigures.parse(answer(PHASE).substring(PhaseLoop.DONE.length()));
  }

  /** Has what is on the disk removed. */
  public void discard() throws ChildFailedException, InterruptedException {
    process.send(PhaseLoop.DISCARD);
    answer(PHASE);
  }

  private String answer(Duration deadline) throws ChildFailedException, InterruptedException {
    String line = process.awaitAnnouncement(deadline);
    if (line.startsWith(PhaseLoop.FAILED)) {
      throw new CommandFailedException(
          ExitCode.FAILED,
          process.name() + " failed: " + line.substring(PhaseLoop.FAILED.length()));
    }
    return line;
  }

  @Override
  public void close() {
    group.end(process);
  }
}
