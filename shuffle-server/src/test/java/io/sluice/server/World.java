package io.sluice.server;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * Everything that would be a thread, as queues of tasks run one at a time: tasks of one queue in
 * order, queues interleaved by a seed. Time stands still until {@link #advance}.
 */
public final class World implements Scheduler, Clock {
  private final SplittableRandom random;
  private final List<Queue<Runnable>> queues = new ArrayList<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final Executor own = executor();
  private long now = 1_000;
  private long timersMade;

  public World(long seed) {
    random = new SplittableRandom(seed);
  }

  /** A new thread, so to say. */
  public Executor executor() {
    Queue<Runnable> queue = new ArrayDeque<>();
    queues.add(queue);
    return queue::add;
  }

  /** Runs one task of a random queue; false if there is none. */
  public boolean step() {
    List<Queue<Runnable>> busy = queues.stream().filter(queue -> !queue.isEmpty()).toList();
    if (busy.isEmpty()) {
      return false;
    }
    busy.get(random.nextInt(busy.size())).remove().run();
    return true;
  }

  public void settle() {
    for (int steps = 0; step(); steps++) {
      if (steps > 1_000_000) {
        throw new AssertionError("the world does not come to rest");
      }
    }
  }

  /** Lets time pass, running what falls due. */
  public void advance(long nanos) {
    long end = now + nanos;
    settle();
    while (!timers.isEmpty() && timers.peek().at <= end) {
      Timer due = timers.remove();
      now = Math.max(now, due.at);
      if (!due.cancelled) {
        due.task.run();
      }
      settle();
    }
    now = end;
  }

  /** Time passes while nothing runs; then what has fallen due does. */
  public void standStill(long nanos) {
    now += nanos;
    advance(0);
  }

  @Override
  public Clock clock() {
    return this;
  }

  @Override
  public void execute(Runnable task) {
    own.execute(task);
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    Timer timer = new Timer(now + delayNanos, timersMade++, task);
    timers.add(timer);
    return () -> timer.cancelled = true;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public long wallTimeMillis() {
    return now / 1_000_000;
  }

  private static final class Timer implements Comparable<Timer> {
    private final long at;
    private final long order;
    private final Runnable task;
    private boolean cancelled;

    Timer(long at, long order, Runnable task) {
      this.at = at;
      this.order = order;
      this.task = task;
    }

    @Override
    public int compareTo(Timer other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }
}
