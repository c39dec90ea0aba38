package io.sluice.simulation.disk;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.simulation.time.SimProcess;

/** The timer that a process watches a disk with; exact, so that it draws nothing from the seed. */
final class DiskTimer implements Scheduler {
  private final ServerDisk disk;
  private final SimProcess process;

  DiskTimer(ServerDisk disk, SimProcess process) {
    this.disk = disk;
    this.process = process;
  }

  @Override
  public Clock clock() {
    return process.clock();
  }

  @Override
  public void execute(Runnable task) {
    schedule(1, task);
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    return process.schedule(delayNanos, disk, task);
  }
}
