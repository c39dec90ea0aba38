package io.sluice.coordinator.grpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.netty.util.NetUtil;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import java.net.InetSocketAddress;

/** Keeps in the context of an operator's call where it comes from. Others are asked by nobody. */
final class CallerAddress implements ServerInterceptor {
  private static final Context.Key<String> ADDRESS = Context.keyWithDefault("address", "unknown");

  /** host:port of the other end of the connection, in the call's context. */
  static String current() {
    return ADDRESS.get();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    boolean asked =
        ClusterServiceGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName());
    if (asked
        && call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
            instanceof InetSocketAddress address) {
      Context with = Context.current().withValue(ADDRESS, NetUtil.toSocketAddressString(address));
      return Contexts.interceptCall(with, call, headers, next);
    }
    return next.startCall(call, headers);
  }
}
