package io.sluice.benchmarks.hadoop;

import io.sluice.cli.local.Installation;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.spark.JobFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** HDFS and YARN in one process, to which jobs are given one after the other. One thread's. */
public final class HadoopProcess implements AutoCloseable {
  private static final Duration START_DEADLINE = Duration.ofMinutes(2);
  private static final String ANNOUNCEMENT = "@";
  private static final String READY = "@ready ";
  private static final String RESULT = "@result ";
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

  /** Begins a job; to be followed by {@link #awaitProgress}, or by {@link #await}. */
  public void begin(HadoopJob job) throws ChildFailedException {
    process.send(job.format());
  }

  /** Waits until as many maps have ended as {@link HadoopJob#tellAt} says. */
  public void awaitProgress(Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    String line = process.awaitAnnouncement(deadline);
    if (!line.startsWith(PROGRESS)) {
      throw new JobFailedException("the job ended before it was struck: " + line);
    }
  }

  /** The result of the job begun last. */
  public HadoopResult await(Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    String line = process.awaitAnnouncement(deadline);
    if (line.startsWith(FAILURE)) {
      throw new JobFailedException(line.substring(FAILURE.length()));
    }
    return HadoopResult.parse(line.substring(RESULT.length()));
  }

  /** Runs one job to its end, or fails after the deadline. */
  public HadoopResult run(HadoopJob job, Duration deadline)
      throws ChildFailedException, JobFailedException, InterruptedException {
    begin(job);
    return await(deadline);
  }

  /** Kills the application master of the job that runs. YARN starts another one. */
  public void killApplicationMaster() {
    List<ProcessHandle> masters =
        ProcessHandle.of(process.pid()).stream()
            .flatMap(ProcessHandle::descendants)
            .filter(child -> child.info().command().orElse("").endsWith("java"))
            .filter(child -> child.info().commandLine().orElse("").contains("MRAppMaster"))
            .toList();
    if (masters.size() != 1) {
      throw new IllegalStateException("application masters: " + masters);
    }
    masters.get(0).destroyForcibly();
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
