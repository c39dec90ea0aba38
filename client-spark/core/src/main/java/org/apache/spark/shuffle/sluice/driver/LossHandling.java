package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.time.Scheduler;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Makes Spark forget, in one step for each shuffle, the map outputs that were lost with a server:
 * it recomputes all of them in one attempt of their stage, before reducers have tripped over each.
 * What is whole on the disks of a server that is back stays.
 *
 * <p>Attempts that were under way then may still end well, and register afterwards: they are looked
 * at when their stage ends.
 *
 * <p>When a server takes blocks again, shuffles whose replica sets had to become smaller are whole
 * again from then on, if there are map outputs of them still to come. So they are when one that
 * tasks could not reach, and coordinators did all the time, has been left alone for long enough.
 *
 * <p>Threading: events come on the coordinator client's and on Spark's listener thread; the work is
 * done by the scheduler, which runs one task at a time.
 */
public final class LossHandling extends SparkListener
    implements ServerListener, MissingMapsEndpoint.Losses {
  private static final Logger LOG = LoggerFactory.getLogger(LossHandling.class);

  private final ServerBook servers;
  private final LiveShuffles shuffles;
  private final RegisteredOutputs outputs;
  private final Salvage salvage;
  private final Scheduler scheduler;
  private final AtomicBoolean awaitsReturn = new AtomicBoolean();
  // The scheduler's.
  private final LossNews news = new LossNews();
  private final AwaitedLives awaited;

  private final Object telling = new Object();
  // Guarded by it.
  private boolean due;

  /**
   * @param disks asked what servers have that came back without their memory
   */
  public LossHandling(
      ServerBook servers,
      LiveShuffles shuffles,
      RegisteredOutputs outputs,
      Salvage.Disks disks,
      Scheduler scheduler) {
    this.servers = servers;
    this.shuffles = shuffles;
    this.outputs = outputs;
    this.salvage = new Salvage(servers, disks, scheduler);
    this.scheduler = scheduler;
    this.awaited = new AwaitedLives(servers, scheduler);
    servers.tellReturns(this::lookAfter);
  }

  @Override
  public void snapshot(List<ServerStatus> all) {
    hear(() -> servers.snapshot(all));
  }

  @Override
  public Optional<Collection<PlacedServer>> inUse() {
    return Optional.of(shuffles.servers());
  }

  @Override
  public boolean isAway(PlacedServer server) {
    return servers.isAway(server);
  }

  @Override
  public void some(List<ServerStatus> some) {
    hear(() -> servers.some(some));
  }

  @Override
  public void changed(ServerStatus server) {
    if (server.lostIncarnation() > 0 || server.state() == ServerStatus.State.ACTIVE) {
      hear(() -> servers.changed(server));
    } else {
      servers.changed(server);
    }
  }

  @Override
  public void unheard() {
    servers.unheard();
  }

  @Override
  public long arrival() {
    return salvage.arrival();
  }

  @Override
  public void whenKnown(List<PlacedServer> lives, Runnable task) {
    Runnable afterLosses =
        lives.isEmpty()
            ? task
            : () -> {
              checkWhatIsDue();
              task.run();
            };
    scheduler.execute(() -> awaited.whenKnown(lives, afterLosses));
  }

  /**
   * Has the scheduler run a task as soon as no server is asked any more what it has of a shuffle,
   * and what is lost was unregistered: at once, unless one is back without its memory.
   */
  @Override
  public void whenSettled(int shuffleId, Runnable task) {
    scheduler.execute(() -> salvage.whenSettled(shuffleId, task));
  }

  /**
   * A server that is back and says it has whole what a reader did not get there is asked once more;
   * if a reader reports such a thing after that answer, it is not believed any more. So what was
   * kept for its word goes with the second output reported, instead of one output with each attempt
   * of the stage.
   */
  @Override
  public void lost(MissingMaps missing) {
    try {
      ShufflePlacement placement = shuffles.newest(missing.shuffleId());
      if (placement == null) {
        return;
      }
      Disproof disproof = new Disproof(placement, servers::isLost, salvage);
      Optional<MapStatus[]> statuses =
          disproof.isPossible() ? outputs.of(missing.shuffleId()) : Optional.empty();
      if (statuses.isPresent()) {
        Set<PlacedServer> wrong = disproof.by(missing, statuses.get());
        salvage.doubt(
            placement.shuffle(), wrong, missing.arrival(), () -> check(missing.shuffleId(), true));
      }
    } catch (RuntimeException e) {
      LOG.error("What else is lost was not found: {}", missing, e);
    }
  }

  /** At the end of one report at a time, of which there may be many at once. */
  private void lookAfter(long nanos) {
    if (awaitsReturn.compareAndSet(false, true)) {
      scheduler.schedule(nanos, this::lookAgain);
    }
  }

  private void lookAgain() {
    awaitsReturn.set(false);
    hear(() -> {});
    long next = servers.nextReturn();
    if (next > 0) {
      lookAfter(next);
    }
  }

  /**
   * Puts something into the book. Who finds it there and then asks what is due finds that too: both
   * are one step.
   */
  private void hear(Runnable told) {
    boolean first;
    synchronized (telling) {
      told.run();
      first = !due;
      due = true;
    }
    if (first) {
      scheduler.execute(this::checkWhatIsDue);
    }
  }

  /** Once for all that is told together. */
  private void checkWhatIsDue() {
    synchronized (telling) {
      if (!due) {
        return;
      }
      due = false;
    }
    salvage.retain(shuffles::isAlive);
    List.copyOf(shuffles.ids()).forEach(this::check);
    tell();
    awaited.look();
  }

  /**
   * Whether map outputs are lost with a server depends on the replicas: that it is gone does not.
   */
  private void tell() {
    for (PlacedServer server : news.of(shuffles.servers(), servers::isLost)) {
      LOG.warn(
          "Of what server {} acknowledged something is gone: what nobody else has is recomputed",
          server);
    }
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted stage) {
    Option<Object> shuffle = stage.stageInfo().shuffleDepId();
    if (shuffle.isDefined()) {
      scheduler.execute(() -> check((Integer) shuffle.get()));
    }
  }

  private void check(int shuffleId) {
    check(shuffleId, false);
  }

  /**
   * @param answered whether a server has told what it has, or was found wrong: what is kept is to
   *     be said then too
   */
  private void check(int shuffleId, boolean answered) {
    try {
      if (shuffles.names(shuffleId, servers::isLost)) {
        shuffles.leave(shuffleId, List.of());
        unregister(shuffleId, answered);
      }
      if (outputs.areToCome(shuffleId)) {
        shuffles.grow(shuffleId);
      }
    } catch (RuntimeException e) {
      LOG.error("The lost map outputs of shuffle {} were not found", shuffleId, e);
    }
  }

  private void unregister(int shuffleId, boolean answered) {
    ShufflePlacement placement = shuffles.newest(shuffleId);
    Optional<MapStatus[]> registered = outputs.of(shuffleId);
    if (placement == null || registered.isEmpty()) {
      return;
    }
    MapStatus[] statuses = registered.get();
    Verdict verdict =
        Verdict.of(placement, statuses, servers, salvage, () -> check(shuffleId, true));
    Set<BlockManagerId> lost = verdict.lost();
    if (answered || !lost.isEmpty()) {
      LOG.warn("Shuffle {}: {}", shuffleId, verdict);
    }
    outputs.forget(shuffleId, RegisteredOutput.at(lost, statuses));
  }
}
