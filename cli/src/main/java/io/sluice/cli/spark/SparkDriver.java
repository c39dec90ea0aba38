package io.sluice.cli.spark;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.process.ProcessUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A live driver that runs one job after the other, staying warm between them. One thread's. */
public final class SparkDriver implements AutoCloseable {
  private static final Duration START_DEADLINE = Duration.ofMinutes(2);
  private static final String ANNOUNCEMENT = "@";
  private static final String READY = "@ready ";
  private static final String RESULT = "@result ";
  private static final String FAILURE = "@failure ";

  private final ProcessGroup group;
  private final ChildProcess process;

  private SparkDriver(ProcessGroup group, ChildProcess process) {
    this.group = group;
    this.process = process;
  }

  /**
   * Submits the job and waits until its session stands.
   *
   * @param directory made here; gets the driver's log, its executors' and Spark's local files
   */
  public static SparkDriver start(
      ProcessGroup group, SparkHome home, SparkSettings settings, JobJar job, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    Files.createDirectories(directory);
    SparkInstallation installation = SparkInstallation.in(directory.toAbsolutePath(), home);
    ChildSpec spec =
        new ChildSpec(
            "Spark driver (" + directory.getFileName() + ")",
            installation.submitCommand(arguments(settings, job)),
            installation.environment(),
            installation.directory(),
            installation.directory().resolve("driver.log"),
            line -> line.startsWith(ANNOUNCEMENT));
    SparkDriver driver = new SparkDriver(group, group.start(spec));
    boolean started = false;
    try {
      started = driver.process.awaitAnnouncement(START_DEADLINE).startsWith(READY);
    } finally {
      if (!started) {
        driver.close();
      }
    }
    return driver;
  }

  /** Runs one job to its end, or fails after the deadline. */
  public JobResult run(JobRequest request, Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    return JobResult.parse(ask(request.format(), deadline));
  }

  /**
   * Gives the program a line, and waits for its answer.
   *
   * @throws JobFailedException if it answers that it failed
   */
  public String ask(String line, Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    process.send(line);
    return result(deadline);
  }

  /** What driver and executors have used so far. */
  public ProcessUsage usage() {
    return process.usage().orElse(ProcessUsage.NONE);
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    group.end(process);
  }

  private String result(Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    String line = process.awaitAnnouncement(deadline);
    if (line.startsWith(FAILURE)) {
      throw new JobFailedException(Fields.parse(line.substring(FAILURE.length())).text("message"));
    }
    return line.substring(RESULT.length());
  }

  private static List<String> arguments(SparkSettings settings, JobJar job) {
    List<String> arguments = new ArrayList<>(settings.arguments());
    if (!job.libraries().isEmpty()) {
      arguments.add("--jars");
      arguments.add(job.libraries().stream().map(Path::toString).collect(Collectors.joining(",")));
    }
    arguments.addAll(List.of("--class", job.mainClass(), job.jar().toString()));
    return arguments;
  }
}
