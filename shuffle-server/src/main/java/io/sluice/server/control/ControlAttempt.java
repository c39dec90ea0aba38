package io.sluice.server.control;

import io.sluice.common.config.HostPort;
import io.sluice.common.time.Scheduler;
import io.sluice.proto.control.v1.ServerDirective;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One stream of a session, hoped for or open. Used on the session's scheduler. */
final class ControlAttempt implements ControlConnector.Listener {
  final HostPort target;
  private final Scheduler scheduler;
  private final BiConsumer<ControlAttempt, ServerDirective> taking;
  private final BiConsumer<ControlAttempt, Throwable> ending;
  ControlConnector.@Nullable ControlStream stream;
  Scheduler.@Nullable Cancellable timer;
  long intervalNanos;
  // That the hello names.
  long incarnation;
  boolean believed;

  /**
   * @param taking called on the scheduler, as the other one
   */
  ControlAttempt(
      HostPort target,
      Scheduler scheduler,
      BiConsumer<ControlAttempt, ServerDirective> taking,
      BiConsumer<ControlAttempt, Throwable> ending) {
    this.target = target;
    this.scheduler = scheduler;
    this.taking = taking;
    this.ending = ending;
  }

  /** Any thread. */
  @Override
  public void directive(ServerDirective directive) {
    scheduler.execute(() -> taking.accept(this, directive));
  }

  /** Any thread. */
  @Override
  public void ended(Throwable reason) {
    scheduler.execute(() -> ending.accept(this, reason));
  }

  void restartTimer(Runnable task) {
    if (timer != null) {
      timer.cancel();
    }
    timer = scheduler.schedule(intervalNanos, task);
  }

  void stop() {
    if (timer != null) {
      timer.cancel();
    }
    if (stream != null) {
      stream.cancel();
    }
  }
}
