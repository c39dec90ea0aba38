package io.sluice.transport.netty;

import io.netty.channel.EventLoop;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One event loop as a scheduler. Any thread. */
public final class LoopScheduler implements Scheduler {
  private final EventLoop loop;
  private final Clock clock;

  public LoopScheduler(EventLoop loop, Clock clock) {
    this.loop = loop;
    this.clock = clock;
  }

  public EventLoop loop() {
    return loop;
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    Future<?> future = loop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }
}
