package org.apache.spark.shuffle.sluice.read;

import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/**
 * Ends a reader with its task, unless it has ended before. A task keeps what listens to its end for
 * as long as it runs, and may open thousands of readers one after the other; so this keeps the
 * reader until then only, and the task keeps no more than this. Thread-safe.
 */
final class TaskEnd implements TaskCompletionListener {
  // Both guarded by this.
  private @Nullable Runnable ending;
  private boolean over;

  /** Has this run once when the task ends, at once if it has; instead of what was to be run. */
  void run(Runnable newEnding) {
    synchronized (this) {
      if (!over) {
        ending = newEnding;
        return;
      }
    }
    newEnding.run();
  }

  /** The reader has ended: there is nothing left to be run. */
  synchronized void forget() {
    ending = null;
  }

  @Override
  public void onTaskCompletion(TaskContext context) {
    Runnable last;
    synchronized (this) {
      over = true;
      last = ending;
      ending = null;
    }
    if (last != null) {
      last.run();
    }
  }
}
