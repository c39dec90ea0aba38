package io.sluice.coordinator.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;

/**
 * Answers requests that are no messages of their kind with a code of ours. gRPC itself would take
 * them for a failure of this process (UNKNOWN), and log them. So messages come this far as they
 * were sent, and are read within.
 */
final class ReadableRequests implements ServerInterceptor {
  private ReadableRequests() {}

  /** The same service behind this. */
  static ServerServiceDefinition of(ServerServiceDefinition service) {
    return ServerInterceptors.intercept(
        ServerInterceptors.useInputStreamMessages(service), new ReadableRequests());
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      private boolean refused;

      @Override
      public void onMessage(Q message) {
        if (refused) {
          return;
        }
        try {
          super.onMessage(message);
        } catch (StatusRuntimeException unreadable) {
          // Handlers throw none: what they fail with they answer.
          refused = true;
          refuse(call, unreadable);
        }
      }

      @Override
      public void onHalfClose() {
        if (!refused) {
          super.onHalfClose();
        }
      }
    };
  }

  private static void refuse(ServerCall<?, ?> call, StatusRuntimeException unreadable) {
    StatusRuntimeException answer =
        ControlErrors.toStatus(
            new SluiceException(
                ErrorCode.INVALID_ARGUMENT,
                "the request is no message of "
                    + call.getMethodDescriptor().getFullMethodName()
                    + ": it cannot be read",
                unreadable));
    Metadata trailers = Status.trailersFromThrowable(answer);
    call.close(answer.getStatus(), trailers == null ? new Metadata() : trailers);
  }
}
