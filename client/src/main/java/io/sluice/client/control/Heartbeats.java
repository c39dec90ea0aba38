package io.sluice.client.control;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an application known to coordinators, and tells whoever leads what it holds. On the
 * scheduler's thread, and where calls end.
 */
final class Heartbeats {
  private static final Logger log = LoggerFactory.getLogger(Heartbeats.class);

  private final LeaderCalls calls;
  private final ApplicationId id;
  private final Enrolment enrolment;
  private final HeldShuffles held;
  private final Removals removals;
  private @Nullable Cancellable next;
  private boolean failing;

  /**
   * @param removals takes shuffles that a leader may have heard of after their removal, and is told
   *     when a leader is heard
   */
  Heartbeats(
      LeaderCalls calls,
      ApplicationId id,
      Enrolment enrolment,
      HeldShuffles held,
      Removals removals) {
    this.calls = calls;
    this.id = id;
    this.enrolment = enrolment;
    this.held = held;
    this.removals = removals;
  }

  /** Begins to send them. On any thread. */
  void begin(RegisterApplicationResponse terms) {
    calls.scheduler().execute(() -> beatIn(interval(terms), interval(terms)));
  }

  /** Sends no more; a beat that is under way still ends. On any thread. */
  void end() {
    calls.scheduler().execute(this::cancelNext);
  }

  private void cancelNext() {
    if (next != null) {
      next.cancel();
    }
  }

  private static long interval(RegisterApplicationResponse terms) {
    return TimeUnit.MILLISECONDS.toNanos(Math.max(1, terms.getHeartbeatIntervalMillis()));
  }

  private void beatIn(long nextNanos, long intervalNanos) {
    if (!enrolment.hasLeft() && !calls.isClosed() && !enrolment.hasEnded()) {
      next = calls.scheduler().schedule(nextNanos, () -> beat(intervalNanos));
    }
  }

  private void beat(long intervalNanos) {
    HeartbeatApplicationRequest.Builder request =
        HeartbeatApplicationRequest.newBuilder().setApplication(ControlMessages.uuid(id));
    held.addTo(request);
    calls
        .call(
            ApplicationServiceGrpc.getHeartbeatApplicationMethod(),
            request.build(),
            calls.config().callDeadline().toNanos())
        .whenComplete(
            (beat, failure) -> {
              boolean news =
                  beat != null && held.answered(beat.getTerm(), request.getShufflesCount() > 0);
              held.overtaken().forEach(shuffle -> removals.remove(shuffle, List.of()));
              if (beat != null) {
                removals.heard();
              }
              beaten(news ? 0 : intervalNanos, intervalNanos, failure);
            });
  }

  private void beaten(long nextNanos, long intervalNanos, @Nullable Throwable failure) {
    if (failure != null && ControlFailures.isUnknownApplication(failure) && !enrolment.hasLeft()) {
      enrolment
          .again()
          .whenComplete(
              (terms, refused) -> {
                held.forgotten();
                long after = terms == null ? intervalNanos : interval(terms);
                beatIn(after, after);
              });
      return;
    }
    if (failure != null && !failing) {
      log.warn("the coordinator does not hear of application {}", id, failure);
    } else if (failure == null && failing) {
      log.info("the coordinator hears of application {} again", id);
    }
    failing = failure != null;
    beatIn(nextNanos, intervalNanos);
  }
}
