package io.sluice.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A running child. Its standard input stays open as long as this process lives, so that a child
 * that watches it never outlives its owner. One thread reads its standard output: announcements are
 * queued for {@link #awaitAnnouncement}, everything goes to the log.
 *
 * <p>Waiting belongs to one thread; {@link #close} and {@link #usage} may be called from any.
 */
public final class ChildProcess implements AutoCloseable {
  /** Far more than any child announces between two waits. */
  private static final int ANNOUNCEMENTS_MAX = 1024;

  private static final Duration STOP_GRACE = Duration.ofSeconds(20);

  private final ChildSpec spec;
  private final Process process;
  private final BufferedWriter input;
  private final BlockingQueue<Optional<String>> announcements =
      new ArrayBlockingQueue<>(ANNOUNCEMENTS_MAX);

  private ChildProcess(ChildSpec spec, Process process) {
    this.spec = spec;
    this.process = process;
    this.input = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), UTF_8));
  }

  /** Starts a child and the thread that reads what it says. */
  public static ChildProcess start(ChildSpec spec) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(spec.command()).directory(spec.directory().toFile());
    builder.environment().putAll(spec.environment());
    builder.redirectError(ProcessBuilder.Redirect.appendTo(spec.log().toFile()));
    ChildProcess child = new ChildProcess(spec, builder.start());
    Thread reader = new Thread(child::readOutput, "output of " + spec.name());
    reader.setDaemon(true);
    reader.start();
    return child;
  }

  public String name() {
    return spec.name();
  }

  public long pid() {
    return process.pid();
  }

  /** Writes one line to the child's standard input. */
  public void send(String line) throws ChildFailedException {
    try {
      input.write(line);
      input.newLine();
      input.flush();
    } catch (IOException closed) {
      throw failure("no longer reads its input (" + closed.getMessage() + ")");
    }
  }

  /** The next announcement, waiting for it at most so long. */
  public String awaitAnnouncement(Duration deadline)
      throws ChildFailedException, InterruptedException {
    Optional<String> next = announcements.poll(deadline.toMillis(), TimeUnit.MILLISECONDS);
    if (next == null) {
      throw failure("said nothing for " + deadline.toSeconds() + " s");
    }
    if (next.isEmpty()) {
      announcements.offer(next); // Whoever asks again learns the same.
      throw failure("ended with exit code " + process.waitFor());
    }
    return next.get();
  }

  /** Waits until it has ended by itself; gives its exit code, or nothing if it still runs then. */
  public OptionalInt awaitEnd(Duration deadline) throws InterruptedException {
    return process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)
        ? OptionalInt.of(process.exitValue())
        : OptionalInt.empty();
  }

  /** What the child and its descendants have used so far, or empty if it is gone. */
  public Optional<ProcessUsage> usage() {
    return ProcessUsage.of(process.toHandle());
  }

  /** Asks the child to end, insists after a while, and ends its descendants. Idempotent. */
  @Override
  public void close() {
    List<ProcessHandle> family = process.descendants().toList();
    process.destroy();
    boolean interrupted = false;
    try {
      if (!process.waitFor(STOP_GRACE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      interrupted = true;
    }
    family.forEach(ProcessHandle::destroyForcibly);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private ChildFailedException failure(String what) {
    return new ChildFailedException(spec.name(), what, spec.log());
  }

  private void readOutput() {
    try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        Writer log =
            Files.newBufferedWriter(
                spec.log(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        log.append(line).append('\n').flush();
        if (spec.announcement().test(line)) {
          announcements.put(Optional.of(line));
        }
      }
    } catch (IOException closed) {
      // The pipe breaks when the child is killed; the end is announced below all the same.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      announcements.offer(Optional.empty());
    }
  }
}
