package io.sluice.integration;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.UnusableSparkException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * What Spark's own shuffle makes of a job. All test classes share one driver for each kind of job,
 * and what was asked before is not run again: starting drivers is most of what these tests cost.
 * Thread-safe: two classes may run at a time.
 */
final class OwnShuffle implements AutoCloseable {
  private final Runs runs;
  private final Map<JobRequest, Fingerprint> faultJobs = new HashMap<>();
  private final Map<JobRequest, Fingerprint> benchmarks = new HashMap<>();
  private @Nullable SparkDriver faultDriver;
  private @Nullable SparkDriver benchmarkDriver;

  private OwnShuffle() throws IOException, UnusableSparkException {
    runs = new Runs("own");
  }

  /** Gives it to the methods of test classes that have a parameter for it. */
  static final class Extension implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == OwnShuffle.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getRoot()
          .getStore(Namespace.create(OwnShuffle.class))
          .getOrComputeIfAbsent(OwnShuffle.class, key -> start());
    }

    private static OwnShuffle start() {
      try {
        return new OwnShuffle();
      } catch (IOException | UnusableSparkException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Of a job that would have faults, without them. */
  synchronized Fingerprint faultJob(JobRequest request)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Fingerprint known = faultJobs.get(request);
    if (known == null) {
      if (faultDriver == null) {
        faultDriver = runs.faultDriver(runs.own(Runs.LOCAL));
      }
      known = faultDriver.run(request, Runs.DEADLINE).fingerprint();
      faultJobs.put(request, known);
    }
    return known;
  }

  synchronized Fingerprint benchmark(JobRequest request)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Fingerprint known = benchmarks.get(request);
    if (known == null) {
      if (benchmarkDriver == null) {
        benchmarkDriver = runs.benchmarkDriver(runs.own(Runs.LOCAL));
      }
      known = benchmarkDriver.run(request, Runs.DEADLINE).fingerprint();
      benchmarks.put(request, known);
    }
    return known;
  }

  @Override
  public void close() {
    runs.close();
  }
}
