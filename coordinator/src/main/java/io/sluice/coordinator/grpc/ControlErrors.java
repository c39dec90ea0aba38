package io.sluice.coordinator.grpc;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.leadership.NotLeaderException;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.error.ErrorTrailer;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns failures into what callers see. */
final class ControlErrors {
  private static final Logger log = LoggerFactory.getLogger(ControlErrors.class);

  private ControlErrors() {}

  /** Coded failures go to the caller; anything else is a bug, logged here and reported as such. */
  static StatusRuntimeException toStatus(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof SluiceException known) {
      String leader = known instanceof NotLeaderException moved ? moved.leader() : "";
      return ErrorTrailer.toException(statusOf(known.code()), detail(known, leader));
    }
    log.error("unexpected failure in a control call", cause);
    return toStatus(new SluiceException(ErrorCode.INTERNAL_ERROR, "unexpected: " + cause, cause));
  }

  private static ErrorDetail detail(SluiceException failure, String leader) {
    return ErrorDetail.newBuilder()
        .setCode(failure.code().forOlderPeers().number())
        .setNewerCode(failure.code().newerNumber())
        .setMessage(failure.detail())
        .setLeader(leader)
        .build();
  }

  /** For tools that know only gRPC; our own callers read the detail. */
  private static Status.Code statusOf(ErrorCode code) {
    if (code == ErrorCode.UNKNOWN_APPLICATION || code == ErrorCode.UNKNOWN_SHUFFLE) {
      return Status.Code.NOT_FOUND;
    }
    if (code == ErrorCode.INVALID_ARGUMENT) {
      return Status.Code.INVALID_ARGUMENT;
    }
    if (code == ErrorCode.CANCELLED) {
      return Status.Code.CANCELLED;
    }
    return switch (code.blame()) {
      case CALLER -> Status.Code.FAILED_PRECONDITION;
      case CAPACITY -> Status.Code.RESOURCE_EXHAUSTED;
      case CORRUPTION -> Status.Code.DATA_LOSS;
      case INTERNAL ->
          code == ErrorCode.INTERNAL_ERROR ? Status.Code.INTERNAL : Status.Code.UNAVAILABLE;
    };
  }
}
