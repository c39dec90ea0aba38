package io.sluice.cli.process;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Children that end with their owner: when it closes the group, fails, or is told to stop by a
 * signal. Last started ends first. Thread-safe: a signal may come while children are being started.
 */
public final class ProcessGroup implements AutoCloseable {
  private final Deque<ChildProcess> children = new ArrayDeque<>();
  private final Thread onSignal = new Thread(this::signal, "end children");
  private final Runnable afterwards;
  private final Consumer<List<String>> signalled;
  private volatile boolean endedBySignal;
  private boolean ended;

  /**
   * Makes a group that a signal to this process ends.
   *
   * @param afterwards runs once, when the last child is gone
   */
  public static ProcessGroup endedBySignals(Runnable afterwards) {
    return endedBySignals(afterwards, names -> {});
  }

  /**
   * Makes a group that a signal to this process ends.
   *
   * @param afterwards runs once, when the last child is gone
   * @param signalled then gets the names of the children that a signal ended, on a thread of the
   *     JVM's end; does not run if it was the owner who closed the group
   */
  public static ProcessGroup endedBySignals(Runnable afterwards, Consumer<List<String>> signalled) {
    ProcessGroup group = new ProcessGroup(afterwards, signalled);
    Runtime.getRuntime().addShutdownHook(group.onSignal);
    return group;
  }

  private ProcessGroup(Runnable afterwards, Consumer<List<String>> signalled) {
    this.afterwards = afterwards;
    this.signalled = signalled;
  }

  /** Whether a signal ends this process, which explains any failure of a child. */
  public boolean endedBySignal() {
    return endedBySignal;
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

  private void signal() {
    endedBySignal = true; // before any child notices
    endAll().ifPresent(signalled);
  }

  /** The names of those ended, or empty if that was done before. */
  private synchronized Optional<List<String>> endAll() {
    if (ended) {
      return Optional.empty();
    }
    ended = true;
    List<String> names = children.stream().map(ChildProcess::name).toList();
    while (!children.isEmpty()) {
      children.pop().close();
    }
    afterwards.run();
    return Optional.of(names);
  }
}
