package io.sluice.client.control;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.error.ErrorTrailer;
import java.util.Optional;

/** What a failed call means. */
final class ControlFailures {
  private ControlFailures() {}

  /** The coordinator's own word; empty if it could not be asked. */
  static Optional<SluiceException> refusal(Throwable failure) {
    return ErrorTrailer.read(failure)
        .map(
            detail ->
                new SluiceException(
                    ErrorCode.ofNumber(detail.getCode()), detail.getMessage(), failure));
  }

  /** Whether another coordinator, or the same one later, may answer better. */
  static boolean isWorthRetrying(SluiceException refusal) {
    switch (refusal.code()) {
      case NOT_LEADER:
      case COORDINATOR_UNAVAILABLE:
      case SHUTTING_DOWN:
        return true;
      default:
        return false;
    }
  }

  /** The leader named by a NOT_LEADER refusal. */
  static Optional<HostPort> leader(Throwable failure) {
    return ErrorTrailer.read(failure)
        .filter(detail -> ErrorCode.ofNumber(detail.getCode()) == ErrorCode.NOT_LEADER)
        .map(ErrorDetail::getLeader)
        .filter(leader -> !leader.isEmpty())
        .flatMap(ControlFailures::parse);
  }

  private static Optional<HostPort> parse(String leader) {
    try {
      return Optional.of(HostPort.parse(leader));
    } catch (IllegalArgumentException e) {
      // Someone's configuration is odd; the configured addresses remain.
      return Optional.empty();
    }
  }
}
