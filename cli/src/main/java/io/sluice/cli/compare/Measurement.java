package io.sluice.cli.compare;

import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.spark.JobResult;

/**
 * One run of one side.
 *
 * @param sparkCpuSeconds of the driver's JVM and of executors
 * @param serviceCpuSeconds of shuffle servers and coordinator; 0 without any
 * @param pushedBlocks blocks that servers took in
 * @param pushedBytes stored bytes that servers took in
 * @param fetchedBytes stored bytes that servers gave out
 * @param spilledBytes stored bytes that servers put on disk
 * @param sparkWrittenBytes bytes sent to storage by driver and executors, as Linux counts them
 * @param serviceWrittenBytes the same of servers and coordinator
 */
public record Measurement(
    JobResult result,
    double sparkCpuSeconds,
    double serviceCpuSeconds,
    long pushedBlocks,
    long pushedBytes,
    long fetchedBytes,
    long spilledBytes,
    long sparkWrittenBytes,
    long serviceWrittenBytes) {

  static Measurement between(Usage before, Usage after, JobResult result) {
    return new Measurement(
        result,
        after.spark.cpuSeconds() - before.spark.cpuSeconds(),
        after.service.processes().cpuSeconds() - before.service.processes().cpuSeconds(),
        after.service.pushedBlocks() - before.service.pushedBlocks(),
        after.service.pushedBytes() - before.service.pushedBytes(),
        after.service.fetchedBytes() - before.service.fetchedBytes(),
        after.service.spilledBytes() - before.service.spilledBytes(),
        after.spark.writtenBytes() - before.spark.writtenBytes(),
        after.service.processes().writtenBytes() - before.service.processes().writtenBytes());
  }

  public double cpuSeconds() {
    return sparkCpuSeconds + serviceCpuSeconds;
  }

  /** Stored bytes of a block, headers included; 0 if there was none. */
  public long meanBlockBytes() {
    return pushedBlocks == 0 ? 0 : pushedBytes / pushedBlocks;
  }

  public long writtenBytes() {
    return sparkWrittenBytes + serviceWrittenBytes;
  }

  /** Both halves of a side at one moment. */
  record Usage(ProcessUsage spark, ServiceUsage service) {}
}
