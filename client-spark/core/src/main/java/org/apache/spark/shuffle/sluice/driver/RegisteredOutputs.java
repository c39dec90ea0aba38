package org.apache.spark.shuffle.sluice.driver;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.scheduler.MapStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * The map outputs that Spark has registered, as they are when its scheduler has forgotten those
 * that it was told to forget.
 *
 * <p>It forgets them on its own thread, between two events. When a map stage ends it looks three
 * times, and relies on nobody having taken any away meanwhile: whether all outputs are there, or
 * else the stage runs again; whether they are, or else who waits for that stage alone, as adaptive
 * queries do, is not told; and how large they are, by which such queries plan what they read.
 * Outputs that are gone at the second look and were there at the first would let a query wait for
 * ever; gone at the third only, partitions that no other map had rows for would count as empty, and
 * might not be read.
 *
 * <p>Of a barrier stage it forgets all outputs with the first one: its tasks speak with each other,
 * so some of them that ran again without the rest would wait for these, or give other rows without
 * having heard of them. That can only be done between its attempts. While one runs and some outputs
 * are not there yet, all of them stay; who finds some lost when the stage has ended says so again.
 *
 * <p>Nobody waits for the scheduler. A reader that is told that outputs are lost fails, and the
 * scheduler hears of that after it has forgotten them, as it takes events in their order.
 *
 * <p>Threading: {@link #forget} and the questions are for the thread that deals with losses.
 */
public final class RegisteredOutputs {
  private static final Logger LOG = LoggerFactory.getLogger(RegisteredOutputs.class);

  private final MapOutputTrackerMaster tracker;
  private final Executor scheduler;
  private final IntPredicate isBarrier;

  // By shuffle; guarded by this. What the scheduler is to forget when it gets to it, and what it is
  // forgetting; the latter does not change.
  private Map<Integer, Set<RegisteredOutput>> told = new HashMap<>();
  private Map<Integer, Set<RegisteredOutput>> leaving = Map.of();

  /**
   * @param scheduler runs tasks on the thread of Spark's scheduler
   * @param isBarrier whether the tasks of a shuffle's map stage run all or none; asked on that
   *     thread
   */
  public RegisteredOutputs(
      MapOutputTrackerMaster tracker, Executor scheduler, IntPredicate isBarrier) {
    this.tracker = tracker;
    this.scheduler = scheduler;
    this.isBarrier = isBarrier;
  }

  /**
   * The statuses of a shuffle's maps, null where none is registered; empty if Spark has no such
   * shuffle. A copy.
   */
  Optional<MapStatus[]> of(int shuffleId) {
    // In this order: what is not leaving any more is gone by then.
    List<RegisteredOutput> forgotten = forgotten(shuffleId);
    Option<ShuffleStatus> registered = tracker.shuffleStatuses().get(shuffleId);
    if (registered.isEmpty()) {
      return Optional.empty();
    }
    MapStatus[] statuses = registered.get().withMapStatuses(all -> all.clone());
    for (RegisteredOutput output : forgotten) {
      if (output.isAmong(statuses)) {
        statuses[output.map()] = null;
      }
    }
    return Optional.of(statuses);
  }

  /** Whether map outputs of a shuffle are still to come. */
  boolean areToCome(int shuffleId) {
    boolean someLeave = !forgotten(shuffleId).isEmpty();
    Option<ShuffleStatus> registered = tracker.shuffleStatuses().get(shuffleId);
    if (registered.isEmpty()) {
      return false;
    }
    int maps = registered.get().withMapStatuses(all -> all.length);
    return someLeave || registered.get().numAvailableMapOutputs() < maps;
  }

  private synchronized List<RegisteredOutput> forgotten(int shuffleId) {
    List<RegisteredOutput> all = new ArrayList<>(told.getOrDefault(shuffleId, Set.of()));
    all.addAll(leaving.getOrDefault(shuffleId, Set.of()));
    return all;
  }

  /**
   * Has Spark forget outputs of a shuffle, but for those in whose place another attempt has
   * registered its own by then.
   */
  void forget(int shuffleId, Collection<RegisteredOutput> outputs) {
    if (outputs.isEmpty()) {
      return;
    }
    boolean first;
    synchronized (this) {
      first = told.isEmpty();
      told.computeIfAbsent(shuffleId, id -> new HashSet<>()).addAll(outputs);
    }
    if (first) {
      tell();
    }
  }

  private void tell() {
    boolean posted = false;
    try {
      scheduler.execute(this::forgetAllTold);
      posted = true;
    } finally {
      if (!posted) {
        // Else nobody would tell it of later ones either, and they would count as forgotten.
        untell();
      }
    }
  }

  private synchronized void untell() {
    told = new HashMap<>();
  }

  /** On the scheduler's thread. */
  private void forgetAllTold() {
    Map<Integer, Set<RegisteredOutput>> now;
    synchronized (this) {
      now = told;
      leaving = now;
      told = new HashMap<>();
    }
    try {
      now.forEach(this::forgetNow);
    } finally {
      synchronized (this) {
        leaving = Map.of();
      }
    }
  }

  private void forgetNow(int shuffleId, Set<RegisteredOutput> outputs) {
    try {
      Option<ShuffleStatus> registered = tracker.shuffleStatuses().get(shuffleId);
      if (registered.isEmpty()) {
        LOG.info("Shuffle {} is gone: nothing to unregister", shuffleId);
        return;
      }
      List<RegisteredOutput> there =
          registered
              .get()
              .withMapStatuses(
                  all ->
                      outputs.stream()
                          .filter(output -> output.isAmong(all))
                          .collect(Collectors.toList()));
      if (there.isEmpty()) {
        return;
      }
      if (isBarrier.test(shuffleId)) {
        forgetAll(shuffleId, registered.get());
        return;
      }
      there.forEach(output -> registered.get().removeMapOutput(output.map(), output.location()));
      // So that executors ask for what is registered anew.
      tracker.incrementEpoch();
    } catch (Exception e) { // Scala throws checked ones undeclared.
      // Readers miss them, and say so again.
      LOG.error("Lost map outputs of shuffle {} stay registered", shuffleId, e);
    }
  }

  private void forgetAll(int shuffleId, ShuffleStatus registered) {
    int maps = registered.withMapStatuses(all -> all.length);
    int there = registered.numAvailableMapOutputs();
    if (there < maps) {
      LOG.info(
          "Shuffle {} has {} of {} maps of a barrier stage, all of which are to run again once they"
              + " are there",
          shuffleId,
          there,
          maps);
      return;
    }
    LOG.warn("Shuffle {}: all {} maps run again, as those of a barrier stage do", shuffleId, maps);
    tracker.unregisterAllMapAndMergeOutput(shuffleId);
  }
}
