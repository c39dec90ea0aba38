package io.sluice.benchmarks.paired;

import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.spark.JobResult;

/**
 * One run of one side.
 *
 * @param sparkCpuSeconds of the driver's JVM and of executors
 * @param serviceCpuSeconds of shuffle servers and coordinator; 0 without any
 * @param pushedBytes stored bytes that servers took in
 * @param fetchedBytes stored bytes that servers gave out
 * @param spilledBytes stored bytes that servers put on disk
 * @param writtenBytes bytes sent to storage by all processes, as Linux counts them; what stays in
 *     the page cache until it is deleted is not in it
 */
public record Measurement(
    JobResult result,
    double sparkCpuSeconds,
    double serviceCpuSeconds,
    long pushedBytes,
    long fetchedBytes,
    long spilledBytes,
    long writtenBytes) {

  static Measurement between(Usage before, Usage after, JobResult result) {
    return new Measurement(
        result,
        after.spark.cpuSeconds() - before.spark.cpuSeconds(),
        after.service.processes().cpuSeconds() - before.service.processes().cpuSeconds(),
        after.service.pushedBytes() - before.service.pushedBytes(),
        after.service.fetchedBytes() - before.service.fetchedBytes(),
        after.service.spilledBytes() - before.service.spilledBytes(),
        after.writtenBytes() - before.writtenBytes());
  }

  public double cpuSeconds() {
    return sparkCpuSeconds + serviceCpuSeconds;
  }

  /** Both halves of a side at one moment. */
  record Usage(ProcessUsage spark, ServiceUsage service) {
    long writtenBytes() {
      return spark.writtenBytes() + service.processes().writtenBytes();
    }
  }
}
