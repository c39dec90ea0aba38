package io.sluice.cli.process;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Children that end with their owner: when it closes the group, fails, or is told to stop by a
 * signal. Last started ends first. Thread-safe: a signal may come while children are being started.
 */
public final class ProcessGroup implements AutoCloseable {
  private final Deque<ChildProcess> children = new ArrayDeque<>();
  private final Thread onSignal = new Thread(this::endAll, "end children");
  private final Runnable afterwards;
  private boolean ended;

  /**
   * Makes a group that a signal to this process ends.
   *
   * @param afterwards runs once, when the last child is gone
   */
  public static ProcessGroup endedBySignals(Runnable afterwards) {
    ProcessGroup group = new ProcessGroup(afterwards);
    Runtime.getRuntime().addShutdownHook(group.onSignal);
    return group;
  }

  private ProcessGroup(Runnable afterwards) {
    this.afterwards = afterwards;
  }

  /** Starts a child of this group. */
  public synchronized ChildProcess start(ChildSpec spec) throws IOException {
    if (ended) {
      throw new IOException("not starting " + spec.name() + ": this process is ending");
    }
    ChildProcess child = ChildProcess.start(spec);
    children.push(child);
    return child;
  }

  /** Ends one child before the others. */
  public synchronized void end(ChildProcess child) {
    children.remove(child);
    child.close();
  }

  @Override
  public void close() {
    endAll();
    try {
      Runtime.getRuntime().removeShutdownHook(onSignal);
    } catch (IllegalStateException signalled) {
      // The hook is running, and finds nothing left to end.
    }
  }

  private synchronized void endAll() {
    if (ended) {
      return;
    }
    ended = true;
    while (!children.isEmpty()) {
      children.pop().close();
    }
    afterwards.run();
  }
}
