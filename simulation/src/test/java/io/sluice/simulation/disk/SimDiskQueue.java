package io.sluice.simulation.disk;

import io.sluice.server.disk.DiskQueue;
import io.sluice.simulation.time.SimProcess;
import java.util.ArrayDeque;
import java.util.List;

/**
 * A disk's threads: as many reads at once as it has read threads, each ending when the seed says;
 * one write and one chore at a time.
 */
final class SimDiskQueue implements DiskQueue {
  private final ServerDisk disk;
  private final Lane reads;
  private final Lane writes;
  private final Lane chores;

  /**
   * @param readThreads reads under way at once
   * @param maxQueuedReads reads waiting
   */
  SimDiskQueue(ServerDisk disk, SimProcess process, int readThreads, int maxQueuedReads) {
    this.disk = disk;
    reads = new Lane("reads", disk, process, readThreads, maxQueuedReads);
    writes = new Lane("writes", disk, process, 1, Integer.MAX_VALUE);
    chores = new Lane("does a chore", disk, process, 1, Integer.MAX_VALUE);
  }

  @Override
  public boolean read(Runnable task) {
    return reads.add(
        () -> {
          disk.beforeRead(reads.process);
          task.run();
        });
  }

  @Override
  public boolean write(Runnable task) {
    return writes.add(
        () -> {
          disk.beforeWrite(writes.process);
          task.run();
          disk.afterWrite(writes.process);
        });
  }

  @Override
  public boolean chore(Runnable task) {
    return chores.add(
        () -> {
          task.run();
          disk.afterChore();
        });
  }

  @Override
  public void close() {
    List.of(reads, writes, chores).forEach(Lane::close);
  }

  private static final class Lane {
    private final String what;
    private final ServerDisk disk;
    private final SimProcess process;
    private final int threads;
    private final int maxQueued;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();
    private boolean closed;

    Lane(String what, ServerDisk disk, SimProcess process, int threads, int maxQueued) {

      this.what = what;
      this.disk = disk;
      this.process = process;
      this.threads = threads;
      this.maxQueued = maxQueued;
    }

    boolean add(Runnable task) {
      if (closed || (underWay.size() == threads && waiting.size() >= maxQueued)) {
        return false;
      }
      waiting.add(task);
      beginMore();
      return true;
    }

    private void beginMore() {
      while (underWay.size() < threads && !waiting.isEmpty() && process.isAlive()) {
        Runnable task = waiting.remove();
        underWay.add(task);
        process.events().after(disk.delay(), disk, what, () -> end(task));
      }
    }

    private void end(Runnable task) {
      if (underWay.remove(task)) {
        process.run(task);
        beginMore();
      }
    }

    void close() {
      closed = true;
      while (!underWay.isEmpty() || !waiting.isEmpty()) {
        Runnable next = underWay.poll();
        process.run(next != null ? next : waiting.remove());
      }
    }
  }
}
