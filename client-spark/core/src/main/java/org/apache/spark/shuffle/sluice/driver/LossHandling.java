package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.time.Scheduler;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
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
  private final MapOutputTrackerMaster tracker;
  private final Salvage salvage;
  private final Scheduler scheduler;
  private final AtomicBoolean due = new AtomicBoolean();
  private final AtomicBoolean awaitsReturn = new AtomicBoolean();
  // The scheduler's.
  private final LossNews news = new LossNews();

  /**
   * @param disks asked what servers have that came back without their memory
   */
  public LossHandling(
      ServerBook servers,
      LiveShuffles shuffles,
      MapOutputTrackerMaster tracker,
      Salvage.Disks disks,
      Scheduler scheduler) {
    this.servers = servers;
    this.shuffles = shuffles;
    this.tracker = tracker;
    this.salvage = new Salvage(servers, disks, scheduler);
    this.scheduler = scheduler;
    servers.tellReturns(this::lookAfter);
  }

  @Override
  public void snapshot(List<ServerStatus> all) {
    servers.snapshot(all);
    checkAll();
  }

  @Override
  public Optional<Collection<PlacedServer>> inUse() {
    return Optional.of(shuffles.servers());
  }

  @Override
  public void some(List<ServerStatus> some) {
    servers.some(some);
    checkAll();
  }

  @Override
  public void changed(ServerStatus server) {
    servers.changed(server);
    if (server.lostIncarnation() > 0 || server.state() == ServerStatus.State.ACTIVE) {
      checkAll();
    }
  }

  @Override
  public void unheard() {
    servers.unheard();
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
   * A server that is back and says it has whole what a reader did not get there is not believed any
   * more: what was kept for its word goes with the first output reported, in one attempt of the
   * stage, instead of one output with each attempt.
   */
  @Override
  public void lost(MissingMaps missing) {
    try {
      ShufflePlacement placement = shuffles.newest(missing.shuffleId());
      Option<ShuffleStatus> registered = tracker.shuffleStatuses().get(missing.shuffleId());
      if (placement == null || registered.isEmpty()) {
        return;
      }
      MapStatus[] statuses = registered.get().withMapStatuses(all -> all.clone());
      Set<PlacedServer> wrong =
          new Disproof(placement, servers::isLost, salvage).by(missing, statuses);
      if (!wrong.isEmpty()) {
        wrong.forEach(server -> salvage.disbelieve(placement.shuffle(), server));
        check(missing.shuffleId());
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
    checkAll();
    long next = servers.nextReturn();
    if (next > 0) {
      lookAfter(next);
    }
  }

  /** Once for all that is told together. */
  private void checkAll() {
    if (due.compareAndSet(false, true)) {
      scheduler.execute(
          () -> {
            due.set(false);
            salvage.retain(shuffles::isAlive);
            List.copyOf(shuffles.ids()).forEach(this::check);
            tell();
          });
    }
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
    try {
      if (shuffles.names(shuffleId, servers::isLost)) {
        shuffles.leave(shuffleId, List.of());
        unregister(shuffleId);
      }
      if (isWritten(shuffleId)) {
        shuffles.grow(shuffleId);
      }
    } catch (RuntimeException e) {
      LOG.error("The lost map outputs of shuffle {} were not found", shuffleId, e);
    }
  }

  /** Whether map outputs are still to come. */
  private boolean isWritten(int shuffleId) {
    Option<ShuffleStatus> registered = tracker.shuffleStatuses().get(shuffleId);
    if (registered.isEmpty()) {
      return false;
    }
    int maps = registered.get().withMapStatuses(all -> all.length);
    return registered.get().numAvailableMapOutputs() < maps;
  }

  private void unregister(int shuffleId) {
    ShufflePlacement placement = shuffles.newest(shuffleId);
    Option<ShuffleStatus> registered = tracker.shuffleStatuses().get(shuffleId);
    if (placement == null || registered.isEmpty()) {
      return;
    }
    MapStatus[] statuses = registered.get().withMapStatuses(all -> all.clone());
    Set<BlockManagerId> lost = lostOf(placement, statuses, () -> check(shuffleId));
    if (lost.isEmpty()) {
      return;
    }
    LOG.warn(
        "{} map outputs of shuffle {} were lost with a server; whoever reads them has them recomputed",
        lost.size(),
        shuffleId);
    registered.get().removeOutputsByFilter(lost::contains);
    tracker.incrementEpoch();
  }

  /**
   * Outputs that are lost for certain. What a server that is back may have on its disks is not,
   * before it has said so.
   *
   * @param answered what is run when it has
   */
  private Set<BlockManagerId> lostOf(
      ShufflePlacement placement, MapStatus[] statuses, Runnable answered) {
    LostBlocks blocks = new LostBlocks(placement, servers::isLost);
    Set<BlockManagerId> lost = blocks.among(statuses);
    if (lost.isEmpty()) {
      return lost;
    }
    Map<PlacedServer, StoredMaps> onDisk = new HashMap<>();
    Set<PlacedServer> asked = new HashSet<>();
    for (PlacedServer server : blocks.servers()) {
      StoredMaps maps = salvage.of(placement.shuffle(), server, answered);
      if (maps == null) {
        asked.add(server);
      } else {
        onDisk.put(server, maps);
      }
    }
    Predicate<PlacedServer> isLost = server -> servers.isLost(server) && !asked.contains(server);
    return new LostBlocks(placement, isLost, onDisk).among(statuses);
  }
}
