package io.sluice.client.fetch;

import io.sluice.client.ClientConfig;
import io.sluice.common.error.Advice;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import java.time.Duration;

/**
 * Which servers are given up, and when: what their failures and their silence are answered with.
 * Immutable; on the task's thread.
 *
 * <p>A server gets a bounded number of failures in a row without a new block between them, for one
 * request and for all that it is asked for together; another look at what came damaged as long as
 * each gets further, for 30 s ({@link DamageSeen}); one after each that brought something new where
 * a disk failed (it has sent all it can read by then); and no second chance after it said that its
 * data is gone. One that only has no room is tried for as long as {@link
 * ClientConfig#blockDeadline}, if there is nobody else to ask.
 *
 * <p>Silence is looked at after {@link ClientConfig#suspectAfter} where others can be asked, and
 * counts as failure after {@link ClientConfig#blockDeadline}; but that of a server which is waited
 * for ends only when its connection says so. A server that looks for damage before it answers is
 * silent for some seconds: much less than that deadline, and its connection goes on meanwhile.
 */
final class Patience {
  private static final int MAX_FAILURES = 5;
  private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LONG_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

  /** What is to be done about a failed stream. */
  enum Answer {
    ASK_AFTER_A_PAUSE,
    /** For what came damaged: whoever was told of it before looks for that first. */
    ASK_AT_ONCE,
    GIVE_UP,
    /** The read cannot go on, whoever is asked. */
    ABORT
  }

  private final boolean replicas;
  private final long silenceNanos;
  private final long deadlineNanos;

  /**
   * @param replicas whether others can be asked for what a server does not bring
   */
  Patience(ClientConfig config, boolean replicas) {
    this.replicas = replicas;
    this.deadlineNanos = config.blockDeadline().toNanos();
    this.silenceNanos =
        replicas ? Math.min(config.suspectAfter().toNanos(), deadlineNanos) : deadlineNanos;
  }

  /** A stream of a request has failed. Counts it. */
  Answer answer(ServerFetch fetch, ErrorCode code, long now) {
    if (code.blame() == Blame.CORRUPTION) {
      return fetch.damage().isWorthAnotherLook(now) ? Answer.ASK_AT_ONCE : Answer.GIVE_UP;
    }
    if (code == ErrorCode.DISK_FAILED && !fetch.mayAskAgainForDisk()) {
      return Answer.GIVE_UP;
    }
    if (code.advice() == Advice.ABORT) {
      return Answer.ABORT;
    }
    if (code.advice() == Advice.RECOMPUTE || code == ErrorCode.TIMED_OUT) {
      return Answer.GIVE_UP;
    }
    fetch.countFailure(now);
    return hasFailedEnough(fetch, code, now) ? Answer.GIVE_UP : Answer.ASK_AFTER_A_PAUSE;
  }

  private boolean hasFailedEnough(ServerFetch fetch, ErrorCode code, long now) {
    Failures ofRequest = fetch.failures();
    Failures ofServer = fetch.failuresOfServer();
    boolean often =
        ofRequest.count() > MAX_FAILURES || ofServer.count() > Turns.PER_SERVER * MAX_FAILURES;
    return often
        && (code.blame() != Blame.CAPACITY || replicas || ofRequest.lasting(now) >= deadlineNanos);
  }

  /** How long to wait before a request is sent again. */
  static long pauseNanos(ServerFetch fetch) {
    return fetch.failures().count() > MAX_FAILURES ? LONG_PAUSE_NANOS : PAUSE_NANOS;
  }

  /** How long nothing may come before it is looked at why. */
  long silenceNanos() {
    return silenceNanos;
  }

  /** Whether nothing has come for so long that others are asked. */
  boolean isSilent(long stillNanos) {
    return stillNanos >= silenceNanos;
  }

  /** Whether nothing has come for so long that the server is given up. */
  boolean isOver(long stillNanos, ServerFetch fetch) {
    return stillNanos >= deadlineNanos && !fetch.connection().isAwaited();
  }
}
