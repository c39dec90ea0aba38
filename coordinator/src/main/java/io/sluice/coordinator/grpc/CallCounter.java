package io.sluice.coordinator.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Counts finished calls by method and status. */
final class CallCounter implements ServerInterceptor {
  private final Counter calls;

  CallCounter(PrometheusRegistry registry) {
    this.calls =
        Counter.builder()
            .name("sluice_coordinator_calls_total")
            .help("Finished control calls, by method and gRPC status.")
            .labelNames("method", "status")
            .register(registry);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String method = String.valueOf(call.getMethodDescriptor().getBareMethodName());
    return next.startCall(
        new SimpleForwardingServerCall<Q, R>(call) {
          @Override
          public void close(Status status, Metadata trailers) {
            calls.labelValues(method, status.getCode().name()).inc();
            super.close(status, trailers);
          }
        },
        headers);
  }
}
