package io.sluice.benchmarks.storage.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Tasks of one kind and the disk's threads for them. Used by whoever has control. */
final class VirtualLane {
  private final VirtualTime time;
  private final int maxQueued;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private final ArrayDeque<DiskThread> idle = new ArrayDeque<>();
  private final List<DiskThread> threads = new ArrayList<>();
  private boolean closed;

  /**
   * @param spindle told of the threads, so that it knows whom to keep waiting
   */
  VirtualLane(VirtualTime time, Spindle spindle, String name, int threadCount, int maxQueued) {
    this.time = time;
    this.maxQueued = maxQueued;
    for (int i = 0; i < threadCount; i++) {
      DiskThread[] self = new DiskThread[1];
      self[0] = new DiskThread(time, name + "-" + i, () -> work(self[0]));
      threads.add(self[0]);
      idle.add(self[0]);
      spindle.serve(self[0]);
      self[0].start();
    }
  }

  boolean add(Runnable task) {
    if (closed || waiting.size() >= maxQueued) {
      return false;
    }
    waiting.add(task);
    DiskThread free = idle.poll();
    if (free != null) {
      time.execute(free::resume);
    }
    return true;
  }

  private void work(DiskThread self) {
    while (true) {
      Runnable task = waiting.poll();
      if (task == null) {
        idle.add(self);
        self.idle();
      } else {
        task.run();
      }
    }
  }

  /** Takes no more tasks. */
  void close() {
    closed = true;
  }

  boolean isQuiet() {
    return waiting.isEmpty() && idle.size() == threads.size();
  }
}
