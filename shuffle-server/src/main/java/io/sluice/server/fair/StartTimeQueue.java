package io.sluice.server.fair;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is, by start-time fair queueing: P. Goyal, H. Vin, H. Cheng, <i>Start-time Fair
 * Queuing</i>, SIGCOMM 1996. Not thread-safe.
 *
 * <p>Virtual time is the start tag of whoever was served last. Who begins to wait is tagged with
 * the time, or with the end of its last service if that is later; the lowest tag is next, and a
 * service ends so much later than it began as it cost. So of any two that always wait, each gets as
 * much as the other, give or take its largest service; and who asks for less than its share finds
 * the time past its last service and is next, however long the others have been waiting. Such a one
 * is <i>behind</i>. Serving it does not move the time, and ends it ahead of the time: so nobody is
 * behind twice while the others get nothing, and nobody starves.
 *
 * <p>Entering, serving and leaving cost O(log n). Who does not wait is remembered while its last
 * service is ahead of the time, of these at most {@value #RESTING_MAX}.
 *
 * @param <K> who waits, each at most once at a time
 */
final class StartTimeQueue<K> {
  /** Forgetting one of a thousand that have gone makes it a newcomer if it comes back. */
  static final int RESTING_MAX = 1024;

  private static final Comparator<Flow<?>> TURNS =
      Comparator.<Flow<?>>comparingDouble(flow -> flow.start)
          .thenComparing(flow -> !flow.behind)
          .thenComparingLong(flow -> flow.order);
  private static final Comparator<Flow<?>> ENDS =
      Comparator.<Flow<?>>comparingDouble(flow -> flow.finish)
          .thenComparingLong(flow -> flow.order);

  // Each of them in exactly one of the two sets.
  private final Map<K, Flow<K>> flows = new HashMap<>();
  private final TreeSet<Flow<K>> waiting = new TreeSet<>(TURNS);
  private final TreeSet<Flow<K>> resting = new TreeSet<>(ENDS);
  private double now;
  private long entries;

  /** How many wait. */
  int size() {
    return waiting.size();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** How many are remembered that do not wait. */
  int resting() {
    return resting.size();
  }

  /** Begins to wait. */
  void enter(K key) {
    Flow<K> flow = flows.get(key);
    if (flow == null) {
      flow = new Flow<>(key);
      flows.put(key, flow);
    } else if (!resting.remove(flow)) {
      throw new IllegalStateException("waits already: " + key);
    }
    flow.behind = flow.finish <= now;
    flow.start = Math.max(now, flow.finish);
    flow.order = entries++;
    waiting.add(flow);
  }

  /** Whose turn it is, or null. */
  @Nullable K peek() {
    return waiting.isEmpty() ? null : waiting.first().key;
  }

  /** Whether the one whose turn it is has had less than its share. */
  boolean headIsBehind() {
    return !waiting.isEmpty() && waiting.first().behind;
  }

  /**
   * Serves the one whose turn it is, which waits no more.
   *
   * @param cost of the service, divided by the weight of who is served; above 0
   */
  void serve(double cost) {
    Flow<K> flow = waiting.first();
    waiting.remove(flow);
    now = flow.start;
    flow.finish = flow.start + cost;
    resting.add(flow);
    while (!resting.isEmpty() && (resting.first().finish <= now || resting.size() > RESTING_MAX)) {
      flows.remove(resting.pollFirst().key);
    }
  }

  /**
   * Part of what one was served came back unused: its last service ends so much earlier, and its
   * turn comes earlier if it waits. Nothing happens to one that is not known any more.
   */
  void giveBack(K key, double cost) {
    Flow<K> flow = flows.get(key);
    if (flow == null) {
      return;
    }
    if (resting.remove(flow)) {
      flow.finish -= cost;
      settle(flow);
    } else {
      waiting.remove(flow);
      flow.finish -= cost;
      flow.behind = flow.finish <= now;
      flow.start = Math.max(now, flow.finish);
      waiting.add(flow);
    }
  }

  /** Stops to wait without having been served. */
  void leave(K key) {
    Flow<K> flow = flows.get(key);
    if (flow == null || !waiting.remove(flow)) {
      throw new IllegalStateException("does not wait: " + key);
    }
    settle(flow);
  }

  /** Remembers one that does not wait for as long as that matters. */
  private void settle(Flow<K> flow) {
    if (flow.finish > now) {
      resting.add(flow);
    } else {
      flows.remove(flow.key);
    }
  }

  private static final class Flow<K> {
    private final K key;
    private double start;
    private double finish;
    private boolean behind;
    private long order;

    Flow(K key) {
      this.key = key;
    }
  }
}
