package io.sluice.benchmarks.storage.model;

import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.DiskQueue;
import java.util.List;

/** The threads of a disk, as many as a real one has, in virtual time. */
final class VirtualDiskQueue implements DiskQueue {
  private final VirtualTime time;
  private final VirtualLane reads;
  private final VirtualLane writes;
  private final VirtualLane chores;

  VirtualDiskQueue(VirtualTime time, Spindle spindle, DiskOptions options) {
    this.time = time;
    reads = new VirtualLane(time, spindle, "read", options.readThreads(), options.maxQueuedReads());
    writes =
        new VirtualLane(time, spindle, "write", options.writesAtOnce(), options.stagingBuffers());
    chores = new VirtualLane(time, spindle, "chore", 1, 3);
  }

  @Override
  public boolean read(Runnable task) {
    return reads.add(task);
  }

  @Override
  public boolean write(Runnable task) {
    return writes.add(task);
  }

  @Override
  public boolean chore(Runnable task) {
    return chores.add(task);
  }

  @Override
  public void close() {
    for (VirtualLane lane : List.of(reads, writes, chores)) {
      lane.close();
      time.runUntil(lane::isQuiet);
    }
  }
}
