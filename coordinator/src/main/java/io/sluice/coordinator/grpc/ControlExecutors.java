package io.sluice.coordinator.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.ServerServiceGrpc;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Which way each call takes to the control thread. What says only that somebody lives comes
 * thousands of times a second and may wait for a moment, so that many are taken together; what
 * somebody waits for, as a placement, may not.
 *
 * @param urgent for calls that somebody waits for
 * @param patient for reports and heartbeats; the same thread
 */
record ControlExecutors(Executor urgent, Executor patient) implements ServerCallExecutorSupplier {
  private static final Set<String> PATIENT =
      Set.of(
          ServerServiceGrpc.getSessionMethod().getFullMethodName(),
          ApplicationServiceGrpc.getHeartbeatApplicationMethod().getFullMethodName());

  @Override
  public <Q, R> Executor getExecutor(ServerCall<Q, R> call, Metadata headers) {
    return PATIENT.contains(call.getMethodDescriptor().getFullMethodName()) ? patient : urgent;
  }
}
