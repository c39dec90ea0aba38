package io.sluice.client.connection;

import io.sluice.common.error.Advice;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.FailedReplica;
import java.util.List;

/** What becomes of frames that a server does not take: they go elsewhere, or fail their owner. */
final class Refusals {
  private Refusals() {}

  /** Whether blocks that are refused so, or cannot be sent for such a reason, can go elsewhere. */
  static boolean mayMove(PushFrame frame, ErrorCode code) {
    PushOwner owner = frame.owner();
    if (owner.abandoned() || frame.isProbe() || !owner.mayMove(code)) {
      return false;
    }
    if (code == ErrorCode.STALE_INCARNATION) {
      return !owner.hasAcked();
    }
    // A block that arrives damaged again and again was damaged before it left.
    return code == ErrorCode.CONNECTION_LOST
        || (code.advice() == Advice.RETRY_ELSEWHERE && code.blame() != Blame.CORRUPTION);
  }

  /** Of a frame that is in no queue. */
  static void handBack(PushFrame frame, ErrorCode code, String what) {
    handBack(frame, code, what, List.of());
  }

  /**
   * The same.
   *
   * @param failed other members of the set that did not take the blocks
   */
  static void handBack(PushFrame frame, ErrorCode code, String what, List<FailedReplica> failed) {
    frame.owner().returned(frame, failure(frame, code, what), failed);
  }

  static void fail(PushFrame frame, ErrorCode code, String what) {
    frame.owner().failed(failure(frame, code, what));
  }

  private static SluiceException failure(PushFrame frame, ErrorCode code, String what) {
    PushOwner owner = frame.owner();
    return new SluiceException(
        code, "server " + owner.server() + " " + what + ", shuffle " + owner.shuffle());
  }
}
