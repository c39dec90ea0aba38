package io.sluice.server.control;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.error.ErrorTrailer;
import java.util.Optional;

/** What coordinators say when they end a session. */
final class Refusals {
  private Refusals() {}

  /** Whether asking again would not help: this server is not as the cluster needs it. */
  static boolean isForGood(Throwable reason) {
    return ErrorTrailer.read(reason)
        .filter(detail -> ErrorCode.ofNumber(detail.getCode()) == ErrorCode.INVALID_CONFIGURATION)
        .isPresent();
  }

  static SluiceException refusal(Throwable reason) {
    String message = ErrorTrailer.read(reason).map(ErrorDetail::getMessage).orElse("");
    return new SluiceException(ErrorCode.INVALID_CONFIGURATION, message, reason);
  }

  /** Who leads, if it was said. */
  static Optional<HostPort> leader(Throwable reason) {
    return ErrorTrailer.read(reason)
        .filter(detail -> ErrorCode.ofNumber(detail.getCode()) == ErrorCode.NOT_LEADER)
        .map(ErrorDetail::getLeader)
        // No leader is known, or someone's configuration is odd: the configured addresses remain.
        .flatMap(HostPort::tryParse);
  }
}
