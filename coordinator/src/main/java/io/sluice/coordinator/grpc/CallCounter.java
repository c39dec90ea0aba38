package io.sluice.coordinator.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;

/** Counts finished calls by method and status. Thread-safe. */
final class CallCounter implements ServerInterceptor {
  /** Of which alerts want to see the first: what is not the caller's fault. */
  private static final List<Status.Code> FAULTS =
      List.of(
          Status.Code.INTERNAL,
          Status.Code.UNKNOWN,
          Status.Code.DATA_LOSS,
          Status.Code.DEADLINE_EXCEEDED,
          Status.Code.RESOURCE_EXHAUSTED);

  private final Counter calls;

  CallCounter(PrometheusRegistry registry) {
    this.calls =
        Counter.builder()
            .name("sluice_coordinator_calls_total")
            .help("Finished control calls, by method and gRPC status.")
            .labelNames("method", "status")
            .register(registry);
  }

  /**
   * Has faults of all these services' methods counted from zero on. An alert on a counter that
   * comes into being at one sees no growth.
   */
  void expect(List<ServerServiceDefinition> services) {
    for (ServerServiceDefinition service : services) {
      for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
        String name = String.valueOf(method.getMethodDescriptor().getBareMethodName());
        FAULTS.forEach(code -> calls.initLabelValues(name, code.name()));
      }
    }
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
