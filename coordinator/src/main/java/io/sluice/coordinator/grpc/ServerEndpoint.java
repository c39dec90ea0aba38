package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerServiceGrpc;

/** What shuffle servers call. */
final class ServerEndpoint extends ServerServiceGrpc.ServerServiceImplBase {
  private final Leadership leadership;
  private final CallGuard guard;

  ServerEndpoint(Leadership leadership, CallGuard guard) {
    this.leadership = leadership;
    this.guard = guard;
  }

  @Override
  public StreamObserver<ServerReport> session(StreamObserver<ServerDirective> caller) {
    SessionStream stream =
        new SessionStream(
            leadership, guard.isOn(), (ServerCallStreamObserver<ServerDirective>) caller);
    stream.open();
    return stream;
  }
}
