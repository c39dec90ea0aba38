package io.sluice.server.disk;

import java.util.ArrayDeque;

/**
 * A disk queue whose tasks run when the test says so, on the test's thread; the simulation draws
 * the order from its seed. Not thread-safe.
 */
public final class StepQueue implements DiskQueue {
  private final ArrayDeque<Runnable> reads = new ArrayDeque<>();
  private final ArrayDeque<Runnable> writes = new ArrayDeque<>();
  private final ArrayDeque<Runnable> chores = new ArrayDeque<>();
  private boolean closed;

  @Override
  public boolean read(Runnable task) {
    return !closed && reads.add(task);
  }

  @Override
  public boolean write(Runnable task) {
    return !closed && writes.add(task);
  }

  @Override
  public boolean chore(Runnable task) {
    return !closed && chores.add(task);
  }

  /** Runs all reads that wait. */
  public void runReads() {
    runAll(reads);
  }

  /** Reads that wait. */
  public int reads() {
    return reads.size();
  }

  /** Runs the read that waits longest. */
  public void runRead() {
    reads.remove().run();
  }

  /** Runs all writes that wait. */
  public void runWrites() {
    runAll(writes);
  }

  /** Chores that wait. */
  public int chores() {
    return chores.size();
  }

  /** Runs all chores that wait, and those they queue. */
  public void runChores() {
    runAll(chores);
  }

  private static void runAll(ArrayDeque<Runnable> tasks) {
    Runnable task = tasks.poll();
    while (task != null) {
      task.run();
      task = tasks.poll();
    }
  }

  /** Forgets what waits, as the death of a process does. */
  public void die() {
    closed = true;
    reads.clear();
    writes.clear();
    chores.clear();
  }

  @Override
  public void close() {
    runReads();
    runWrites();
    runChores();
    closed = true;
  }
}
