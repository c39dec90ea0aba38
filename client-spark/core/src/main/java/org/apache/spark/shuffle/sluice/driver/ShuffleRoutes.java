package org.apache.spark.shuffle.sluice.driver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ways that the shuffles of this application went: of those that are registered all, of those
 * that were the last {@value #ENDED_MAX}. Says each local one in the log, once. Thread-safe; never
 * blocks.
 */
public final class ShuffleRoutes {
  /** At some 300 bytes each. */
  public static final int ENDED_MAX = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(ShuffleRoutes.class);

  // All guarded by this.
  private final Map<Integer, ShuffleRoute> registered = new TreeMap<>();
  private final Deque<ShuffleRoute> ended = new ArrayDeque<>();
  private final Map<Why, Long> decided = new EnumMap<>(Why.class);
  private int local;

  /** A shuffle is registered. */
  public void add(ShuffleRoute route) {
    if (route.why() == Why.REFUSED || route.why() == Why.UNREACHABLE) {
      LOG.warn(
          "Shuffle {} of {} partitions goes through Spark's own shuffle: {}",
          route.shuffleId(),
          route.partitions(),
          route.reason());
    } else if (route.isLocal()) {
      LOG.info(
          "Shuffle {} of {} partitions goes through Spark's own shuffle: {}",
          route.shuffleId(),
          route.partitions(),
          route.reason());
    }
    synchronized (this) {
      end(registered.put(route.shuffleId(), route));
      local += route.isLocal() ? 1 : 0;
      decided.merge(route.why(), 1L, Long::sum);
    }
  }

  /** A shuffle that was over is registered once more, and is none of those that are over. */
  public void addAgain(ShuffleRoute route) {
    synchronized (this) {
      ended.removeIf(over -> over.shuffleId() == route.shuffleId());
    }
    add(route);
  }

  /** A shuffle is over; unknown ones are ignored. */
  public synchronized void remove(int shuffleId) {
    end(registered.remove(shuffleId));
  }

  private void end(@Nullable ShuffleRoute route) {
    if (route == null) {
      return;
    }
    local -= route.isLocal() ? 1 : 0;
    ended.addLast(route);
    if (ended.size() > ENDED_MAX) {
      ended.removeFirst();
    }
  }

  /** How many local ones are registered. */
  public synchronized int local() {
    return local;
  }

  /** How many were decided so, ever. */
  public synchronized long decided(Why why) {
    return decided.getOrDefault(why, 0L);
  }

  /** Of the shuffles that are registered, by their ids. */
  public synchronized List<ShuffleRoute> registered() {
    return new ArrayList<>(registered.values());
  }

  /** Of one shuffle; null if it is not registered. */
  public synchronized @Nullable ShuffleRoute registered(int shuffleId) {
    return registered.get(shuffleId);
  }

  /** Of those that were, the latest last. */
  public synchronized List<ShuffleRoute> ended() {
    return new ArrayList<>(ended);
  }
}
