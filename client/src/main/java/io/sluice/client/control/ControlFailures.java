package io.sluice.client.control;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.Advice;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.error.ErrorTrailer;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** What a failed call means. */
final class ControlFailures {
  private ControlFailures() {}

  /** The coordinator's own word; empty if it could not be asked. */
  static Optional<SluiceException> refusal(Throwable failure) {
    return ErrorTrailer.read(failure)
        .map(
            detail ->
                new SluiceException(
                    ErrorCode.ofNumbers(detail.getCode(), detail.getNewerCode()),
                    detail.getMessage(),
                    failure));
  }

  /** Whether another coordinator, or the same one later, may answer the same call better. */
  static boolean isWorthRetrying(SluiceException refusal) {
    Advice advice = refusal.code().advice();
    // An unknown application is to be registered first, which is another call.
    return (advice == Advice.RETRY_HERE || advice == Advice.RETRY_ELSEWHERE)
        && refusal.code() != ErrorCode.UNKNOWN_APPLICATION;
  }

  /**
   * Whether the coordinator that refused is the one to ask again: it leads, and something other
   * than itself is in the way.
   */
  static boolean isForTheSameOne(SluiceException refusal) {
    return refusal.code().blame() == Blame.CAPACITY && refusal.code().advice() == Advice.RETRY_HERE;
  }

  /**
   * Why an application that wanted to register again is refused for good: an operator has ended it.
   * Whom a list does not let in is not ended: his data is there until his lease is over, and the
   * list may change, or the leader hear from servers that it is known after all.
   */
  static Optional<SluiceException> endedBecause(Throwable failure) {
    return coded(failure).filter(cause -> cause.code() == ErrorCode.APPLICATION_ENDED);
  }

  /** Whether the coordinator does not know the application, which may register then. */
  static boolean isUnknownApplication(Throwable failure) {
    return coded(failure)
        .filter(cause -> cause.code() == ErrorCode.UNKNOWN_APPLICATION)
        .isPresent();
  }

  /**
   * Whether whoever leads has said no, so that nothing came of the call. Who failed himself does
   * not know.
   */
  static boolean isRefused(Throwable failure) {
    return coded(failure)
        .filter(ControlFailures::isAnAnswer)
        .filter(cause -> cause.code().blame() != Blame.INTERNAL)
        .isPresent();
  }

  /** Whether the same call would be refused again, whoever leads, at any time. */
  static boolean isForGood(Throwable failure) {
    return coded(failure).filter(cause -> cause.code().advice() == Advice.ABORT).isPresent();
  }

  /** What a call, or the stage of one, failed with; empty if that has no code. */
  private static Optional<SluiceException> coded(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof SluiceException
        ? Optional.of((SluiceException) cause)
        : Optional.empty();
  }

  /** Whether a refusal says something about the call, and not only about who was asked. */
  static boolean isAnAnswer(SluiceException refusal) {
    switch (refusal.code()) {
      case NOT_LEADER:
      case COORDINATOR_UNAVAILABLE:
      case SHUTTING_DOWN:
        return false;
      default:
        return true;
    }
  }

  /** The leader named by a NOT_LEADER refusal. */
  static Optional<HostPort> leader(Throwable failure) {
    return ErrorTrailer.read(failure)
        .filter(detail -> ErrorCode.ofNumber(detail.getCode()) == ErrorCode.NOT_LEADER)
        .map(ErrorDetail::getLeader)
        // No leader is known, or someone's configuration is odd: the configured addresses remain.
        .flatMap(HostPort::tryParse);
  }
}
