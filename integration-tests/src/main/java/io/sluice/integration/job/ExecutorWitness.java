package io.sluice.integration.job;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;

/** Knows which executors there are, says so on standard output, and waits until there are none. */
final class ExecutorWitness extends SparkListener {
  private static final long DEADLINE_SECONDS = 60;

  // Both guarded by this.
  private final Set<String> executors = new HashSet<>();
  private CompletableFuture<Void> none = CompletableFuture.completedFuture(null);

  @Override
  public synchronized void onExecutorAdded(SparkListenerExecutorAdded added) {
    System.out.println("executor " + added.executorId() + " has come");
    executors.add(added.executorId());
    if (none.isDone()) {
      none = new CompletableFuture<>();
    }
  }

  @Override
  public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    System.out.println("executor " + removed.executorId() + " has left: " + removed.reason());
    executors.remove(removed.executorId());
    if (executors.isEmpty()) {
      none.complete(null);
    }
  }

  /** Returns when the last one has left; fails if some stay for a minute. */
  void awaitNone() {
    CompletableFuture<Void> left;
    synchronized (this) {
      left = none.copy();
    }
    left.orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS).join();
  }
}
