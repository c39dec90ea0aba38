package io.sluice.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.scenario.ShuffleSimulation.Summary;
import java.util.EnumMap;
import java.util.Map;

/** What many simulations have been through together. */
final class Tally {
  private long events;
  private int restartedJobs;
  private long networkFaults;
  private final Map<ServerDisk.Fault, Integer> diskFaults = new EnumMap<>(ServerDisk.Fault.class);
  private long restarts;
  private long intactStarts;
  private long epochs;
  private Coverage coverage = Coverage.NOTHING;

  void add(Summary summary) {
    events += summary.events();
    restartedJobs += summary.restarts() > 0 ? 1 : 0;
    networkFaults += summary.misfortunes().network();
    summary.diskFaults().forEach((fault, count) -> diskFaults.merge(fault, count, Integer::sum));
    epochs += summary.epochs();
    restarts += summary.misfortunes().lives();
    intactStarts += summary.intactStarts();
    coverage = coverage.plus(summary.coverage());
  }

  /** A simulation that never gets where it hurts proves nothing. */
  void requireThatEverythingHappened() {
    assertThat(networkFaults).as("network faults").isGreaterThan(1000);
    for (ServerDisk.Fault fault : ServerDisk.Fault.values()) {
      assertThat(diskFaults.getOrDefault(fault, 0)).as("disk fault " + fault).isGreaterThan(120);
    }
    assertThat(intactStarts).as("starts that had everything").isGreaterThan(100);
    assertThat(restartedJobs).as("jobs that had to start over").isGreaterThan(100);
    assertThat(epochs).as("epochs made").isGreaterThan(500);
    assertThat(coverage.splits()).as("partitions split").isGreaterThan(100);
    assertThat(coverage.spilled()).as("units spilled").isGreaterThan(500);
    assertThat(coverage.readBytes()).as("bytes read from disks").isGreaterThan(1_000_000);
    assertThat(coverage.failedSpills()).as("spills that failed").isGreaterThan(10);
    assertThat(coverage.replicas()).as("blocks replicated").isGreaterThan(10_000);
    assertThat(coverage.replicasFailed()).as("blocks refused for a replica").isGreaterThan(100);
    assertThat(coverage.corrupt()).as("blocks refused for their CRC").isGreaterThan(100);
  }

  @Override
  public String toString() {
    return events
        + " events, "
        + networkFaults
        + " network faults, "
        + diskFaults
        + " of disks, "
        + restarts
        + " server lives, "
        + intactStarts
        + " of them intact, "
        + epochs
        + " epochs, "
        + restartedJobs
        + " jobs that started over, "
        + coverage;
  }
}
