package io.sluice.simulation.scenario;

import io.sluice.simulation.invariant.AttemptLog;
import io.sluice.simulation.invariant.EpochBook;
import io.sluice.simulation.task.SimTask;
import io.sluice.simulation.task.SimTasks;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.SimProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Runs the maps of a stage: retries what fails, kills and doubles some, takes the first attempt of
 * each map that ends well.
 */
final class MapStage {
  private static final int MAX_FAILURES = 4;
  private static final long LONGEST_LIFE_NANOS = 200_000_000;

  private final Stage stage;
  private final Application application;
  private final Workload workload;
  private final SimTasks tasks;
  private final Dice dice;
  private final Map<SimTask, AttemptLog> running = new LinkedHashMap<>();
  private final Map<Integer, Integer> failures = new LinkedHashMap<>();
  private final List<Throwable> causes = new ArrayList<>();
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private long nextAttempt;
  private boolean failed;

  /**
   * @param firstAttempt ids of attempts count from here
   */
  MapStage(Stage stage, Application application, SimTasks tasks, Dice dice, long firstAttempt) {
    this.stage = stage;
    this.application = application;
    this.workload = application.workload();
    this.tasks = tasks;
    this.dice = dice;
    this.nextAttempt = firstAttempt;
  }

  /** Ends with whether every map has a winner; losers may still run then. */
  CompletableFuture<Boolean> start() {
    for (int map = 0; map < workload.maps(); map++) {
      startAttempt(map);
      if (dice.chance(0.15)) {
        startAttempt(map);
      }
    }
    return over;
  }

  long nextAttempt() {
    return nextAttempt;
  }

  /** Why attempts have failed. */
  List<Throwable> causes() {
    return causes;
  }

  private void startAttempt(int map) {
    AttemptLog written = new AttemptLog(map, nextAttempt++);
    String name = "map " + map + " attempt " + written.attempt();
    SimProcess process = application.writers().process();
    SimTask task =
        tasks.start(
            name, process, new MapAttempt(stage, workload, written, dice.fork()), this::ended);
    running.put(task, written);
    if (dice.chance(workload.killChance())) {
      process
          .events()
          .after(
              dice.skewed(1, LONGEST_LIFE_NANOS),
              task,
              "is killed",
              () -> {
                if (running.containsKey(task)) {
                  task.interrupt();
                }
              });
    }
  }

  private void ended(SimTask task) {
    AttemptLog written = running.remove(task);
    if (written == null) {
      throw new IllegalStateException(task + " ended twice");
    }
    int map = written.map();
    Throwable failure = task.failure();
    if (failure == null) {
      int newest = application.driver().newest(stage.placement().shuffle()).epochs() - 1;
      EpochBook.used(written.firstEpoch(), written.lastEpoch(), newest);
      stage.winners().putIfAbsent(map, written);
    } else if (!(failure instanceof InterruptedException)) {
      causes.add(failure);
      failed |= failures.merge(map, 1, Integer::sum) >= MAX_FAILURES;
    }
    boolean needed = !failed && !stage.winners().containsKey(map);
    if (needed && running.values().stream().noneMatch(other -> other.map() == map)) {
      startAttempt(map);
    }
    if (failed) {
      running.keySet().forEach(SimTask::interrupt);
      if (running.isEmpty()) {
        over.complete(false);
      }
    } else if (stage.winners().size() == workload.maps()) {
      if (dice.chance(0.5)) {
        running.keySet().forEach(SimTask::interrupt);
      }
      over.complete(true);
    }
  }
}
