package org.apache.spark.shuffle.sluice.spare;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Threads that do nothing until they are told to. Used by one thread. */
public final class HandDriven implements Executor {
  private final ArrayDeque<Runnable> given = new ArrayDeque<>();
  private boolean refusing;

  @Override
  public void execute(Runnable job) {
    if (refusing) {
      throw new RejectedExecutionException("closed");
    }
    given.add(job);
  }

  /** As threads do that were ended. */
  public void refuse() {
    refusing = true;
  }

  /** As if they were there again. */
  void accept() {
    refusing = false;
  }

  public int waiting() {
    return given.size();
  }

  /** Lets a thread come by for the oldest job. */
  public void runNext() {
    given.remove().run();
  }

  public void runAll() {
    while (!given.isEmpty()) {
      runNext();
    }
  }

  /** Spare cores over these threads, with no task at work. */
  public SpareCores cores(int slots) {
    return new SpareCores(slots, this, this::refuse);
  }

  /** A task begins to work. */
  public static void begin(SpareCores cores, long attempt) {
    cores.begin(attempt);
  }

  public static void end(SpareCores cores, long attempt) {
    cores.end(attempt);
  }
}
