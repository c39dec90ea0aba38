package io.sluice.cli;

import io.sluice.cli.service.StopSignal;
import io.sluice.common.time.Clock;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import picocli.CommandLine;

/** Runs the command in this process, and keeps what it says. */
public final class Sluices {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Sluices() {}

  /** What came of it. */
  public record Outcome(int code, String out, String err) {
    public boolean isOk() {
      return code == ExitCode.OK;
    }
  }

  /** Commands print to the process's own output: one at a time. */
  public static synchronized Outcome run(String... args) {
    PrintStream outBefore = System.out;
    PrintStream errBefore = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    ByteArrayOutputStream warned = new ByteArrayOutputStream();
    StringWriter complained = new StringWriter();
    StopSignal stop = new StopSignal(status -> {});
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(warned, true, StandardCharsets.UTF_8));
    try {
      // Only now: it takes the output that it finds.
      CommandLine command = Sluice.command(stop).setErr(new PrintWriter(complained));
      int code = stop.ended(ExitCode.run(command, args));
      return new Outcome(
          code,
          said.toString(StandardCharsets.UTF_8),
          warned.toString(StandardCharsets.UTF_8) + complained);
    } finally {
      System.setOut(outBefore);
      System.setErr(errBefore);
    }
  }

  /** Runs it until it works. */
  public static void untilOk(String... args) {
    long deadline = Clock.system().nanoTime() + PATIENCE.toNanos();
    Outcome outcome = run(args);
    while (!outcome.isOk()) {
      if (Clock.system().nanoTime() > deadline) {
        throw new AssertionError("not within " + PATIENCE + ": " + outcome);
      }
      outcome = run(args);
    }
  }
}
