package io.sluice.integration.job;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Kills a process, as SIGKILL does, when so many map tasks have ended. */
final class ProcessKiller extends SparkListener {
  private final long pid;
  private final AtomicInteger tasksLeft;

  /**
   * @param afterTasks at least 1
   */
  ProcessKiller(long pid, int afterTasks) {
    this.pid = pid;
    this.tasksLeft = new AtomicInteger(afterTasks);
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskType().equals("ShuffleMapTask") && tasksLeft.decrementAndGet() == 0) {
      boolean asked = ProcessHandle.of(pid).map(ProcessHandle::destroyForcibly).orElse(false);
      System.out.println("killed process " + pid + ": " + asked);
    }
  }
}
