package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.rest.Call;
import io.sluice.coordinator.rest.Caller;
import io.sluice.coordinator.rest.Role;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GrpcForwardTest {
  private static final int FAILURES = 3;

  private final GrpcForward forward = new GrpcForward(SecurityConfig.off());
  private Server leader = start(0);

  @AfterEach
  void stop() {
    forward.close();
    leader.shutdownNow();
  }

  private static Server start(int port) {
    ClusterServiceGrpc.ClusterServiceImplBase service =
        new ClusterServiceGrpc.ClusterServiceImplBase() {
          @Override
          public void callRest(RestCall request, StreamObserver<RestAnswer> caller) {
            caller.onNext(RestAnswer.newBuilder().setStatus(204).build());
            caller.onCompleted();
          }
        };
    try {
      return NettyServerBuilder.forPort(port).addService(service).build().start();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int ask(GrpcForward forward, int port) {
    Call call =
        new Call(
            "GET",
            "/api/v1/cluster",
            "",
            new byte[0],
            new Caller(Role.READER, "somebody", "client:5"));
    return forward.forward("localhost:" + port, call).toCompletableFuture().join().status();
  }

  /** Without help gRPC would fail every call for the pause after its last failure, 1 s and more. */
  @Test
  void reachesALeaderThatIsBackWithTheNextCall() throws InterruptedException {
    int port = leader.getPort();
    assertThat(ask(forward, port)).isEqualTo(204);
    leader.shutdownNow();
    assertThat(leader.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < FAILURES; i++) {
      assertThatThrownBy(() -> ask(forward, port))
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOfSatisfying(
              SluiceException.class,
              failure -> assertThat(failure.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE));
    }

    leader = start(port);

    assertThat(ask(forward, port)).isEqualTo(204);
  }
}
