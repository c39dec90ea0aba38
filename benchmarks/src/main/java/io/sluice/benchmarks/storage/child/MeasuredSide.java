package io.sluice.benchmarks.storage.child;

import io.sluice.benchmarks.child.MeasuredChild;
import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The owner's end of a process that runs phases. One thread's. */
public final class MeasuredSide implements AutoCloseable {
  private static final Duration PHASE = Duration.ofMinutes(30);

  private final MeasuredChild child;

  private MeasuredSide(MeasuredChild child) {
    this.child = child;
  }

  /**
   * Starts a process and waits until it is ready.
   *
   * @param flags of its JVM
   * @param directory for its log and its files
   */
  public static MeasuredSide start(
      ProcessGroup group, Class<?> main, List<String> flags, List<String> arguments, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    MeasuredChild.Program program = new MeasuredChild.Program(main, flags, arguments);
    return new MeasuredSide(MeasuredChild.start(group, program, directory, PHASE));
  }

  public long pid() {
    return child.pid();
  }

  /** Runs a phase to its end. */
  public PhaseFigures run(Phase phase) throws ChildFailedException, InterruptedException {
    return PhaseFigures.parse(child.ask(phase.name()));
  }

  /**
   * Runs a phase for one turn; the first of a phase begins it.
   *
   * @param bytes after which it stops until its next turn
   * @return what the whole phase came to, if it ended in this turn
   */
  public Optional<PhaseFigures> turn(Phase phase, long bytes)
      throws ChildFailedException, InterruptedException {
    String answer = child.ask(PhaseLoop.TURN + " " + phase.name() + " " + bytes);
    return answer.isBlank() ? Optional.empty() : Optional.of(PhaseFigures.parse(answer));
  }

  /** Has what is on the disk removed. */
  public void discard() throws ChildFailedException, InterruptedException {
    child.ask(PhaseLoop.DISCARD);
  }

  @Override
  public void close() {
    child.close();
  }
}
