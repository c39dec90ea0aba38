package io.sluice.server.control;

import io.sluice.common.time.Scheduler;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices that no coordinator has heard this server for so long that they suspect it, and says so:
 * after {@value #REPORTS} intervals of reports, when as many are over again, and then each time the
 * silence has doubled. On the scheduler.
 */
public final class Unheard {
  /** Five reports missing make a server SUSPECT; with one more, drivers have been told. */
  static final int REPORTS = 6;

  private final Scheduler scheduler;
  private final IntConsumer tell;
  // Until a coordinator says how often it wants to hear of the server: the usual.
  private long intervalNanos = TimeUnit.SECONDS.toNanos(1);
  private int times;
  private Scheduler.@Nullable Cancellable timer;

  /**
   * @param tell gets how often it was said since the server was last heard; 0 when it is heard
   */
  public Unheard(Scheduler scheduler, IntConsumer tell) {
    this.scheduler = scheduler;
    this.tell = tell;
  }

  /** No coordinator has a session with the server from here on. Harmless while none has. */
  public void begin() {
    if (timer == null) {
      next(REPORTS * intervalNanos);
    }
  }

  private void next(long nanos) {
    timer =
        scheduler.schedule(
            nanos,
            () -> {
              tell.accept(++times);
              // As long as the silence was when it was last said.
              next(times == 1 ? nanos : 2 * nanos);
            });
  }

  /** A coordinator has a session with the server, and wants to hear of it so often. */
  public void end(long wantedIntervalNanos) {
    close();
    intervalNanos = wantedIntervalNanos;
    if (times > 0) {
      times = 0;
      tell.accept(0);
    }
  }

  /** Says nothing more. */
  public void close() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
