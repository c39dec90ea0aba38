package io.sluice.cli.compare;

import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * One of the two shuffles that are compared: a warm driver, and the service it shuffles through.
 *
 * @param name as people call it
 * @param driver owned by whoever made this
 * @param service tells what the service has used so far
 */
public record ShuffleSide(String name, SparkDriver driver, Supplier<ServiceUsage> service) {
  private static final Duration RUN_DEADLINE = Duration.ofMinutes(30);

  /** Runs a job once and says what it took. */
  public Measurement measure(JobRequest request)
      throws ChildFailedException, JobFailedException, InterruptedException {
    Measurement.Usage before = usage();
    JobResult result = driver.run(request, RUN_DEADLINE);
    return Measurement.between(before, usage(), result);
  }

  private Measurement.Usage usage() {
    return new Measurement.Usage(driver.usage(), service.get());
  }
}
