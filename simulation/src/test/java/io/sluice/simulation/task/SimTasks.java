package io.sluice.simulation.task;

import io.sluice.client.TaskSignal;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.SimProcess;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The tasks of one simulation, and how they wait. */
public final class SimTasks implements TaskSignal.Factory, AutoCloseable {
  private final TaskThreads threads;
  private final Dice dice;
  private final Map<SimTask, Consumer<SimTask>> tasks = new LinkedHashMap<>();
  private @Nullable SimTask current;

  public SimTasks(TaskThreads threads, Dice dice) {
    this.threads = threads;
    this.dice = dice;
  }

  /**
   * Begins a task.
   *
   * @param process whose thread it is: it waits while that is frozen
   * @param onEnd runs on the simulation's thread when the body has returned or thrown
   */
  public SimTask start(
      String name, SimProcess process, SimTask.Body body, Consumer<SimTask> onEnd) {
    SimTask task = new SimTask(name, this, process, dice, threads.take());
    tasks.put(task, onEnd);
    task.begin(body);
    return task;
  }

  void current(@Nullable SimTask task) {
    current = task;
  }

  void ended(SimTask task) {
    threads.giveBack(task.carrier());
    Consumer<SimTask> onEnd = tasks.remove(task);
    if (onEnd != null) {
      onEnd.accept(task);
    }
  }

  /** Whether any task has not ended. */
  public boolean areRunning() {
    return !tasks.isEmpty();
  }

  /** Tasks that have not ended. */
  public List<SimTask> unfinished() {
    return List.copyOf(tasks.keySet());
  }

  @Override
  public TaskSignal create() {
    if (current == null) {
      throw new IllegalStateException("a signal is made for the task that runs, and none does");
    }
    return new SimSignal(current);
  }

  /** Unwinds what has not ended, so that its threads can be used again. */
  @Override
  public void close() {
    for (SimTask task : unfinished()) {
      task.cut();
      if (task.isDone()) {
        threads.giveBack(task.carrier());
      }
    }
    tasks.clear();
  }

  private static final class SimSignal implements TaskSignal {
    private final SimTask task;
    private boolean signalled;

    SimSignal(SimTask task) {
      this.task = task;
    }

    @Override
    public void await() throws InterruptedException {
      if (!signalled) {
        task.awaitSignal();
      }
      signalled = false;
    }

    @Override
    public void signal() {
      signalled = true;
      task.signalled();
    }
  }
}
