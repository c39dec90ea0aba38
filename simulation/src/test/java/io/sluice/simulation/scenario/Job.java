package io.sluice.simulation.scenario;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.TaskSignal;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.invariant.Invariant;
import io.sluice.simulation.invariant.Violation;
import io.sluice.simulation.task.SimTask;
import io.sluice.simulation.time.Dice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The driver of an engine: registers, places, runs maps and readers, and starts over with a new
 * generation when blocks are lost, until everything was read.
 */
final class Job implements SimTask.Body {
  private static final long RETRY_NANOS = Shape.seconds(1);

  private final Cluster cluster;
  private final Application application;
  private final Shape shape;
  private final Sabotage sabotage;
  private final Dice dice;
  private final ApplicationId id;
  private final Runnable onManyFailures;
  private long nextAttempt;
  private int rounds;
  private int restarts;
  private boolean over;

  /**
   * @param onManyFailures called when rounds fail again and again, to end the faults
   */
  Job(
      Cluster cluster,
      Application application,
      Shape shape,
      Sabotage sabotage,
      Dice dice,
      Runnable onManyFailures) {
    this.cluster = cluster;
    this.application = application;
    this.shape = shape;
    this.sabotage = sabotage;
    this.dice = dice;
    this.onManyFailures = onManyFailures;
    this.id = ApplicationId.of(dice.nextLong(), dice.nextLong());
  }

  ApplicationId id() {
    return id;
  }

  /** Whether all of it was read. */
  boolean isOver() {
    return over;
  }

  /** Rounds that failed and were begun again. */
  int restarts() {
    return restarts;
  }

  @Override
  public void run(SimTask task) throws Exception {
    register(task);
    heartbeat();
    shuffle(task);
    if (shape.fenced() && application.equals(cluster.applications().get(0))) {
      haveOneFenced(task);
      shuffle(task);
    }
    over = true;
    if (dice.chance(0.5)) {
      // Otherwise the application just falls silent.
      cluster.quorum().tell(c -> c.unregister(id));
    }
  }

  private void shuffle(SimTask task) throws Exception {
    int failed = 0;
    while (!round(task)) {
      failed++;
      restarts++;
      if (failed == 3) {
        onManyFailures.run();
      }
      Violation.unless(
          failed < 12, Invariant.EVENTUALLY_QUIET, "the job fails although nothing fails any more");
      task.pause(dice.skewed(1_000_000, 3 * RETRY_NANOS));
    }
  }

  /** Cuts a server off from the coordinator until it had to take a new incarnation. */
  private void haveOneFenced(SimTask task) throws InterruptedException {
    SimServer victim = dice.pick(cluster.servers());
    if (!victim.isKnown()) {
      return; // nobody would miss it
    }
    long before = victim.incarnation();
    long lost = shape.rules().servers().lostAfterNanos() + 2 * RETRY_NANOS;
    victim.cutControl(lost);
    long waited = 0;
    while (victim.incarnation() <= before) {
      task.pause(RETRY_NANOS);
      waited += RETRY_NANOS;
      // A coordinator that took over meanwhile has to learn first that the server is silent, if it
      // ever knew it; and a server without a session at the time comes back unnoticed.
      if (waited > 2 * lost) {
        Violation.unless(
            !shape.calm(), Invariant.EVENTUALLY_QUIET, victim + " was cut off and is not fenced");
        return;
      }
    }
  }

  private boolean round(SimTask task) throws Exception {
    ShuffleKey shuffle = new ShuffleKey(id, 0, rounds++);
    Misfortunes before = cluster.misfortunes();
    Map<SimServer, History> histories = new HashMap<>();
    cluster.servers().forEach(server -> histories.put(server, History.of(server)));
    Stage stage = stage(place(task, shuffle));
    boolean complete =
        runMaps(stage, before) && new ReadStage(this, stage, histories, before).run(task);
    if (!complete) {
      cluster.remove(shuffle);
    }
    return complete;
  }

  private Stage stage(FixedPlacement placement) {
    application.driver().add(placement);
    return Stage.of(application.writers().client(), application.readers().client(), placement);
  }

  private boolean runMaps(Stage stage, Misfortunes before) throws Exception {
    MapStage maps = new MapStage(stage, application, cluster.tasks(), dice.fork(), nextAttempt);
    boolean complete = await(maps.start());
    nextAttempt = maps.nextAttempt() + 1000;
    boolean excused = !cluster.misfortunes().equals(before) || !shape.calm();
    for (Throwable cause : maps.causes()) {
      if (!excused) {
        throw new Violation(
            Invariant.NO_UNEXPECTED_FAILURE, "a map attempt failed for no reason", cause);
      }
    }
    return complete;
  }

  // ---------------------------------------------------------------------------------- reading

  Cluster cluster() {
    return cluster;
  }

  Application application() {
    return application;
  }

  Workload workload() {
    return application.workload();
  }

  Shape shape() {
    return shape;
  }

  Sabotage sabotage() {
    return sabotage;
  }

  Dice dice() {
    return dice;
  }

  /** Runs readers side by side until all have ended. */
  void runAll(List<ReadTask> reads) throws Exception {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (ReadTask read : reads) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      cluster
          .tasks()
          .start(read.toString(), application.readers().process(), read, task -> end(task, end));
    }
    for (CompletableFuture<Void> end : ends) {
      await(end);
    }
  }

  private static void end(SimTask task, CompletableFuture<Void> end) {
    Throwable failure = task.failure();
    if (failure == null) {
      end.complete(null);
    } else {
      end.completeExceptionally(failure);
    }
  }

  // ------------------------------------------------------------------------------ coordinator

  private void register(SimTask task) throws Exception {
    retrying(task, () -> registration(false));
  }

  private CompletableFuture<Void> registration(boolean again) {
    ApplicationRecord record =
        new ApplicationRecord(
            id,
            application.name(),
            application.user(),
            "simulation",
            "0",
            application.driver().process().clock().wallTimeMillis());
    return call(c -> c.register(again ? record.asReturned() : record));
  }

  private <T> CompletableFuture<T> call(
      Function<io.sluice.coordinator.cluster.Cluster, CompletionStage<T>> request) {
    return cluster.quorum().call(application.driver().loop(), request);
  }

  private FixedPlacement place(SimTask task, ShuffleKey shuffle) throws Exception {
    Workload work = application.workload();
    Placement placement =
        retrying(
            task,
            () ->
                call(
                    c -> {
                      Placement made =
                          c.createShuffle(shuffle, work.partitions(), work.replicas(), Set.of());
                      return cluster.quorum().issued("a placement", c).thenApply(leads -> made);
                    }));
    List<PlacedServer> servers =
        placement.servers().stream()
            .map(at -> new PlacedServer(at.id(), at.incarnation(), at.host(), at.port()))
            .toList();
    return FixedPlacement.of(
        shuffle, work.partitions(), servers, work.replicas(), placement.assignment());
  }

  private void heartbeat() {
    long interval = shape.rules().applications().heartbeatIntervalNanos();
    application
        .driver()
        .loop()
        .schedule(
            interval,
            () -> {
              if (!over) {
                beat();
                heartbeat();
              }
            });
  }

  /** Who is told that it is not known registers again, as real drivers do. */
  private void beat() {
    CompletionStage<Void> heard =
        call(
            c -> {
              c.heartbeat(id);
              return CompletableFuture.completedFuture(null);
            });
    heard.whenComplete(
        (nothing, failure) -> {
          Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
          if (cause instanceof SluiceException refused
              && refused.code() == ErrorCode.UNKNOWN_APPLICATION
              && !over) {
            CompletionStage<Void> again = registration(true);
            again.whenComplete((known, refusal) -> noteIf(refusal));
          }
        });
  }

  private void noteIf(@Nullable Throwable refusal) {
    if (refusal != null) {
      cluster.world().note(application, "is not registered again: " + refusal.getMessage());
    }
  }

  /** Asks again until there is an answer; the coordinator may be away, servers may be missing. */
  private <T> T retrying(SimTask task, Supplier<CompletableFuture<T>> request) throws Exception {
    while (true) {
      try {
        return await(request.get());
      } catch (SluiceException refused) {
        cluster.world().note(application, "is refused: " + refused.getMessage());
        task.pause(dice.between(1, RETRY_NANOS));
      }
    }
  }

  /** Waits in this task for something that happens elsewhere. */
  <T> T await(CompletableFuture<T> future) throws Exception {
    TaskSignal signal = cluster.tasks().create();
    CompletableFuture<T> signalled = future.whenComplete((result, failure) -> signal.signal());
    while (!signalled.isDone()) {
      signal.await();
    }
    try {
      return future.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() instanceof CompletionException c ? c.getCause() : e.getCause();
      if (cause instanceof Exception failure) {
        throw failure;
      }
      if (cause instanceof Error failure) {
        throw failure;
      }
      throw e;
    }
  }
}
