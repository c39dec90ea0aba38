package io.sluice.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulation.cluster.ProcessFault;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.scenario.ShuffleSimulation.Summary;
import java.util.EnumMap;
import java.util.Map;

/** What many simulations have been through together. */
final class Tally {
  private int simulations;
  private long events;
  private int restartedJobs;
  private long networkFaults;
  private final Map<ServerDisk.Fault, Integer> diskFaults = new EnumMap<>(ServerDisk.Fault.class);
  private final Map<ProcessFault, Integer> processFaults = new EnumMap<>(ProcessFault.class);
  private long restarts;
  private long intactStarts;
  private long epochs;
  private long laterTerms;
  private Coverage coverage = Coverage.NOTHING;

  void add(Summary summary) {
    simulations++;
    events += summary.events();
    restartedJobs += summary.restarts() > 0 ? 1 : 0;
    networkFaults += summary.misfortunes().network();
    summary.diskFaults().forEach((fault, count) -> diskFaults.merge(fault, count, Integer::sum));
    summary
        .processFaults()
        .forEach((fault, count) -> processFaults.merge(fault, count, Integer::sum));
    epochs += summary.epochs();
    laterTerms += summary.terms() - 1;
    restarts += summary.misfortunes().lives();
    intactStarts += summary.intactStarts();
    coverage = coverage.plus(summary.coverage());
  }

  void add(Tally other) {
    simulations += other.simulations;
    events += other.events;
    restartedJobs += other.restartedJobs;
    networkFaults += other.networkFaults;
    other.diskFaults.forEach((fault, count) -> diskFaults.merge(fault, count, Integer::sum));
    other.processFaults.forEach((fault, count) -> processFaults.merge(fault, count, Integer::sum));
    epochs += other.epochs;
    laterTerms += other.laterTerms;
    restarts += other.restarts;
    intactStarts += other.intactStarts;
    coverage = coverage.plus(other.coverage);
  }

  /** A simulation that never gets where it hurts proves nothing. */
  void requireThatEverythingHappened() {
    requires("network faults", networkFaults, 400);
    for (ServerDisk.Fault fault : ServerDisk.Fault.values()) {
      int least = fault == ServerDisk.Fault.FULL ? 2 : 48;
      requires("disk fault " + fault, diskFaults.getOrDefault(fault, 0), least);
    }
    for (ProcessFault fault : ProcessFault.values()) {
      requires("process fault " + fault, processFaults.getOrDefault(fault, 0), 20);
    }
    requires("changes of leader", laterTerms, 100);
    requires("starts that had everything", intactStarts, 40);
    requires("simulations with a job that started over", restartedJobs, 40);
    requires("epochs made", epochs, 200);
    requires("partitions split", coverage.splits(), 40);
    requires("units spilled", coverage.spilled(), 200);
    requires("bytes read from disks", coverage.readBytes(), 400_000);
    requires("spills that failed", coverage.failedSpills(), 4);
    requires("blocks replicated", coverage.replicas(), 4000);
    requires("blocks refused for a replica", coverage.replicasFailed(), 40);
    requires("blocks refused for their CRC", coverage.corrupt(), 40);
  }

  private void requires(String what, long found, int leastPerThousand) {
    assertThat(found)
        .as("%s in %d simulations", what, simulations)
        .isGreaterThan((long) leastPerThousand * simulations / 1000);
  }

  @Override
  public String toString() {
    return events
        + " events, "
        + networkFaults
        + " network faults, "
        + diskFaults
        + " of disks, "
        + processFaults
        + " of processes, "
        + laterTerms
        + " changes of leader, "
        + restarts
        + " server lives, "
        + intactStarts
        + " of them intact, "
        + epochs
        + " epochs, "
        + restartedJobs
        + " simulations with jobs that started over, "
        + coverage;
  }
}
