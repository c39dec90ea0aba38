package io.sluice.benchmarks.mapreduce;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.FileSystemCounter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.TaskCounter;

/** Runs jobs, and looks at what they have written. Thread-safe. */
final class JobRunner {
  private static final long POLL_MILLIS = 100;

  private final Configuration cluster;
  private final Consumer<String> progress;
  private final AtomicInteger jobs = new AtomicInteger();

  /**
   * @param progress told once in a job, if its request says so: its number and its id
   */
  JobRunner(Configuration cluster, Consumer<String> progress) {
    this.cluster = cluster;
    this.progress = progress;
  }

  /** The result, as one line of {@code name=value}. */
  String run(JobRequest request) throws Exception {
    Configuration conf = new Configuration(cluster);
    request.properties().forEach(conf::set);
    Job job = Job.getInstance(conf, request.workload());
    job.setNumReduceTasks(request.reduces());
    FileSystem files = FileSystem.get(conf);
    Path folder = new Path(conf.get("hadoop.tmp.dir")).makeQualified(files.getUri(), new Path("/"));
    Path output = new Path(folder, "output-" + jobs.incrementAndGet());
    Workload.named(request.workload())
        .configure(job, request, cluster, new Path(folder, "input"), output);
    long start = uptimeMillis();
    job.submit();
    follow(job, request);
    long millis = uptimeMillis() - start;
    if (!job.isSuccessful()) {
      throw new IOException(job.getJobID() + " failed: " + job.getStatus().getFailureInfo());
    }
    Counters counters = job.getCounters();
    StringBuilder line = new StringBuilder("job=" + job.getJobID());
    line.append(" millis=").append(millis);
    line.append(' ').append(OutputDigest.of(files, output, request, counters));
    append(line, counters);
    if (conf.getBoolean(TeraSort.VALIDATE, false)) {
      line.append(" VALIDATED_CHECKSUM=").append(TeraSort.validate(cluster, output));
    }
    files.delete(output, true);
    return line.toString();
  }

  private static long uptimeMillis() {
    return ManagementFactory.getRuntimeMXBean().getUptime();
  }

  private void follow(Job job, JobRequest request) throws IOException, InterruptedException {
    boolean told = request.tellAt() > 1;
    CountDownLatch never = new CountDownLatch(1);
    while (!job.isComplete()) {
      if (!told && job.mapProgress() >= request.tellAt()) {
        told = true;
        progress.accept(request.number() + " " + job.getJobID());
      }
      if (never.await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("nobody counts down");
      }
    }
  }

  private static void append(StringBuilder line, Counters counters) throws IOException {
    for (TaskCounter counter : TaskCounter.values()) {
      append(line, counter.name(), counters.findCounter(counter));
    }
    for (JobCounter counter : JobCounter.values()) {
      append(line, counter.name(), counters.findCounter(counter));
    }
    append(
        line, "LOCAL_BYTES_WRITTEN", counters.findCounter("file", FileSystemCounter.BYTES_WRITTEN));
  }

  private static void append(StringBuilder line, String name, Counter counter) {
    if (counter != null && counter.getValue() != 0) {
      line.append(' ').append(name).append('=').append(counter.getValue());
    }
  }
}
