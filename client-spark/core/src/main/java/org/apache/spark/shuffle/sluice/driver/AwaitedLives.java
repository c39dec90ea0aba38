package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.Scheduler.Cancellable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports of readers that were faster than coordinators: a server that was killed and is back
 * answers readers as soon as it serves, and the driver hears of it about a second later. What
 * becomes of all that it has lost is dealt with then, in one step; so answers wait for the news.
 * Bounded, as coordinators may be away too. Used by the scheduler's thread.
 */
final class AwaitedLives {
  private static final Logger LOG = LoggerFactory.getLogger(AwaitedLives.class);

  /** Some times what it takes coordinators, and much less than readers wait for an answer. */
  private static final long MOST_NANOS = Duration.ofSeconds(5).toNanos();

  private final ServerBook servers;
  private final Scheduler scheduler;
  private final List<Waiting> waiting = new ArrayList<>();

  AwaitedLives(ServerBook servers, Scheduler scheduler) {
    this.servers = servers;
    this.scheduler = scheduler;
  }

  /** Runs a task when coordinators have told of all these, or it has waited for long enough. */
  void whenKnown(List<PlacedServer> lives, Runnable task) {
    Waiting last = new Waiting(lives, task);
    if (last.isOver()) {
      task.run();
    } else {
      last.deadline = scheduler.schedule(MOST_NANOS, () -> end(last));
      waiting.add(last);
    }
  }

  /**
   * Coordinators have told something, and it was dealt with. What a task throws is logged, and
   * keeps no other.
   */
  void look() {
    List.copyOf(waiting).stream().filter(Waiting::isOver).forEach(this::end);
  }

  private void end(Waiting one) {
    if (!waiting.remove(one)) {
      return;
    }
    if (one.deadline != null) {
      one.deadline.cancel();
    }
    try {
      one.task.run();
    } catch (RuntimeException e) {
      LOG.error("A report of what is missing was not dealt with", e);
    }
  }

  private final class Waiting {
    private final List<PlacedServer> lives;
    private final Runnable task;
    private @Nullable Cancellable deadline;

    Waiting(List<PlacedServer> lives, Runnable task) {
      this.lives = lives;
      this.task = task;
    }

    boolean isOver() {
      return lives.stream().allMatch(servers::knows);
    }
  }
}
