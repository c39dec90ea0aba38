package io.sluice.benchmarks.hadoop;

import io.sluice.cli.local.Installation;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** HDFS and YARN in one process, to which jobs are given. One thread's. */
public final class HadoopProcess implements AutoCloseable {
  private static final Duration START_DEADLINE = Duration.ofMinutes(2);
  private static final String ANNOUNCEMENT = "@";
  private static final String READY = "@ready ";
  private static final String FAILURE = "@failure ";
  private static final String PROGRESS = "@progress ";

  /** What tasks are started by. */
  public enum Framework {
    /** A resource manager with one node: a process for each task. */
    YARN,
    /** Hadoop's local job runner: threads of one process, and a folder in place of HDFS. */
    LOCAL
  }

  private final ProcessGroup group;
  private final ChildProcess process;
  private final List<Begun> begun = new ArrayList<>();

  private HadoopProcess(ProcessGroup group, ChildProcess process) {
    this.group = group;
    this.process = process;
  }

  /**
   * Starts it and waits until jobs can be run.
   *
   * @param libraries on the class path of the process and of all tasks, beside Hadoop's
   * @param directory made here; gets data and logs
   */
  public static HadoopProcess start(
      ProcessGroup group,
      Installation installation,
      Framework framework,
      List<Path> libraries,
      Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    Files.createDirectories(directory);
    StringBuilder classPath = new StringBuilder(installation.hadoopJobs().toString());
    libraries.forEach(library -> classPath.append(':').append(library));
    classPath.append(':').append(installation.hadoopLibraries()).append("/*");
    ChildProcess process =
        group.start(
            new ChildSpec(
                "hadoop (" + directory.getFileName() + ")",
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx512m",
                    "-XX:+UseSerialGC",
                    "-Dhadoop.log.dir=" + directory,
                    "-cp",
                    classPath.toString(),
                    "io.sluice.benchmarks.mapreduce.HadoopLoop",
                    directory.resolve("data").toString(),
                    framework == Framework.YARN ? "yarn" : "local"),
                Map.of(),
                directory,
                directory.resolve("log"),
                line -> line.startsWith(ANNOUNCEMENT)));
    HadoopProcess hadoop = new HadoopProcess(group, process);
    boolean started = false;
    try {
      started = process.awaitAnnouncement(START_DEADLINE).startsWith(READY);
    } finally {
      if (!started) {
        hadoop.close();
      }
    }
    return hadoop;
  }

  /** Begins a job, beside those that run already. */
  public Begun begin(HadoopJob job) throws ChildFailedException {
    Begun next = new Begun(begun.size() + 1, job);
    begun.add(next);
    process.send(job.format(next.number));
    return next;
  }

  /** Waits until as many maps have ended as {@link HadoopJob#tellAt} says. */
  public void awaitProgress(Begun job, Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    String line = next(job, deadline);
    if (!line.startsWith(PROGRESS)) {
      throw new JobFailedException("the job ended before it was struck: " + line);
    }
    job.id = line.substring(line.lastIndexOf(' ') + 1);
  }

  /** The result of a job. */
  public HadoopResult await(Begun job, Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    String line = next(job, deadline);
    String answer = line.substring(line.indexOf(' ', line.indexOf(' ') + 1) + 1);
    if (line.startsWith(FAILURE)) {
      throw new JobFailedException(answer);
    }
    return HadoopResult.parse(answer);
  }

  /** The next line about a job; those about others are kept for whoever waits for them. */
  private String next(Begun job, Duration deadline)
      throws ChildFailedException, InterruptedException {
    Clock clock = Clock.system();
    long start = clock.nanoTime();
    String line = job.lines.poll();
    while (line == null) {
      Duration passed = Duration.ofNanos(clock.nanoTime() - start);
      String heard = process.awaitAnnouncement(deadline.minus(passed));
      int number = Integer.parseInt(heard.split(" ", 3)[1]);
      if (number == job.number) {
        return heard;
      }
      begun.get(number - 1).lines.add(heard);
    }
    return line;
  }

  /** Runs one job to its end, or fails after the deadline. */
  public HadoopResult run(HadoopJob job, Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    return await(begin(job), deadline);
  }

  /**
   * Kills the application master of a job that has been heard of. YARN starts another one.
   *
   * @throws IllegalStateException if there is none
   */
  public void killApplicationMaster(Begun job) {
    String application = job.id.replace("job_", "application_");
    List<ProcessHandle> masters =
        ProcessHandle.of(process.pid()).stream()
            .flatMap(ProcessHandle::descendants)
            .filter(child -> child.info().command().orElse("").endsWith("java"))
            .filter(child -> child.info().commandLine().orElse("").contains("MRAppMaster"))
            .filter(child -> child.info().commandLine().orElse("").contains(application))
            .toList();
    if (masters.size() != 1) {
      throw new IllegalStateException("application masters of " + application + ": " + masters);
    }
    masters.get(0).destroyForcibly();
  }

  /** A job that has begun. One thread's, as its process is. */
  public static final class Begun {
    private final int number;
    private final HadoopJob job;
    private final Deque<String> lines = new ArrayDeque<>();
    private String id = "";

    private Begun(int number, HadoopJob job) {
      this.number = number;
      this.job = job;
    }

    @Override
    public String toString() {
      return number + " " + job;
    }
  }

  /** What all its processes have used so far. */
  public ProcessUsage usage() {
    return process.usage().orElse(ProcessUsage.NONE);
  }

  @Override
  public void close() {
    group.end(process);
  }
}
