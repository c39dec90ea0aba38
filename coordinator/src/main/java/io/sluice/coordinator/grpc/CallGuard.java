package io.sluice.coordinator.grpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.security.Verifier;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.proto.auth.ControlKey;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import org.jspecify.annotations.Nullable;

/**
 * Who may call what, where security is on: applications what concerns themselves; members of the
 * cluster and operators everything else.
 */
final class CallGuard implements ServerInterceptor {
  private static final Context.Key<byte[]> CONTROL_KEY = Context.key("control-key");
  private static final byte[] NONE = new byte[0];
  private static final String APPLICATION = "application";
  private static final String MEMBER = "member";

  private final @Nullable ClusterKey cluster;
  private final Counter refusals;

  /**
   * @param cluster null where security is off
   */
  CallGuard(@Nullable ClusterKey cluster, PrometheusRegistry registry) {
    this.cluster = cluster;
    this.refusals =
        Counter.builder()
            .name("sluice_coordinator_calls_refused_total")
            .help("Control calls that did not show that they may be made, by who was to make them.")
            .labelNames("caller")
            .register(registry);
    refusals.initLabelValues(APPLICATION);
    refusals.initLabelValues(MEMBER);
  }

  boolean isOn() {
    return cluster != null;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    ClusterKey members = cluster;
    if (members == null) {
      return next.startCall(call, headers);
    }
    byte[] key = ControlKey.of(headers).orElse(NONE);
    boolean applications =
        ApplicationServiceGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName());
    if (applications) {
      return Contexts.interceptCall(
          Context.current().withValue(CONTROL_KEY, key), call, headers, next);
    }
    if (members.acceptsControlKey(key)) {
      return next.startCall(call, headers);
    }
    refusals.labelValues(MEMBER).inc();
    StatusRuntimeException refusal =
        ControlErrors.toStatus(
            failed(
                key.length == 0
                    ? "this coordinator asks for the cluster key: a command shows it with"
                        + " --cluster-key-file, a server or coordinator by security.enabled and"
                        + " security.cluster-key-file"
                    : "the cluster key is not the one of this coordinator"));
    Metadata trailers = refusal.getTrailers();
    call.close(refusal.getStatus(), trailers == null ? new Metadata() : trailers);
    return new ServerCall.Listener<>() {};
  }

  /**
   * Whether the call may act for a registered application; in its own context.
   *
   * @return false if nobody can prove to be that application, because it is not registered
   * @throws SluiceException AUTHENTICATION_FAILED
   */
  boolean allows(Cluster known, ApplicationId application) {
    if (!isOn()) {
      return true;
    }
    Verifier verifier = known.verifier(application);
    if (verifier == null) {
      return false;
    }
    requireKey(verifier, application);
    return true;
  }

  /**
   * As {@link #allows}, for what needs a registered application.
   *
   * @throws SluiceException AUTHENTICATION_FAILED, UNKNOWN_APPLICATION
   */
  void require(Cluster known, ApplicationId application) {
    if (!allows(known, application)) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_APPLICATION, "application " + application + " is not registered");
    }
  }

  /**
   * Whether a registration comes from someone who has the keys it names.
   *
   * @throws SluiceException AUTHENTICATION_FAILED
   */
  void requireProof(ApplicationRecord record) {
    if (!isOn()) {
      return;
    }
    Verifier verifier = record.verifier();
    if (verifier == null) {
      refusals.labelValues(APPLICATION).inc();
      throw failed(
          "this coordinator admits only applications that bring a secret: set"
              + " spark.sluice.security.enabled=true, or mapreduce.sluice.security.enabled=true");
    }
    requireKey(verifier, record.id());
  }

  private void requireKey(Verifier verifier, ApplicationId application) {
    byte[] key = CONTROL_KEY.get();
    if (key == null || !verifier.acceptsControlKey(key)) {
      refusals.labelValues(APPLICATION).inc();
      throw failed("the call does not come from application " + application);
    }
  }

  private static SluiceException failed(String why) {
    return new SluiceException(ErrorCode.AUTHENTICATION_FAILED, why);
  }
}
