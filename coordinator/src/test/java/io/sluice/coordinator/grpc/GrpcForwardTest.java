package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Attributes;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.rest.Call;
import io.sluice.coordinator.rest.Caller;
import io.sluice.coordinator.rest.Role;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import io.sluice.proto.error.ErrorTrailer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GrpcForwardTest {
  private static final int FAILURES = 3;
  private static final Duration LONG = Duration.ofMinutes(1);

  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private GrpcForward forward(Duration deadline) {
    GrpcForward forward = new GrpcForward(SecurityConfig.off(), deadline);
    opened.add(forward);
    return forward;
  }

  private Leader leader(int port) {
    Leader leader = new Leader(port);
    opened.add(leader);
    return leader;
  }

  /** Answers as it is told. */
  private static final class Leader extends ClusterServiceGrpc.ClusterServiceImplBase
      implements AutoCloseable {
    private final Server server;
    private final int port;
    private final AtomicInteger connections = new AtomicInteger();
    private final LinkedBlockingQueue<StreamObserver<RestAnswer>> unanswered =
        new LinkedBlockingQueue<>();
    private volatile boolean silent;
    private volatile @Nullable Throwable failure;

    /**
     * @param wanted port, 0 for any
     */
    Leader(int wanted) {
      try {
        server =
            NettyServerBuilder.forPort(wanted)
                .addService(this)
                .addTransportFilter(
                    new ServerTransportFilter() {
                      @Override
                      public Attributes transportReady(Attributes transport) {
                        connections.incrementAndGet();
                        return transport;
                      }
                    })
                .build()
                .start();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      this.port = server.getPort();
    }

    @Override
    public void callRest(RestCall request, StreamObserver<RestAnswer> caller) {
      Throwable failing = failure;
      if (silent) {
        unanswered.add(caller);
      } else if (failing != null) {
        caller.onError(failing);
      } else {
        caller.onNext(RestAnswer.newBuilder().setStatus(204).build());
        caller.onCompleted();
      }
    }

    /** Also of one that is gone. */
    String address() {
      return "localhost:" + port;
    }

    /** Ends, and waits for it, so that its port is free. */
    void stop() throws InterruptedException {
      close();
      assertThat(server.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
      server.shutdownNow();
    }
  }

  private static CompletableFuture<Integer> begin(GrpcForward forward, Leader leader) {
    return begin(forward, leader, "");
  }

  private static CompletableFuture<Integer> begin(
      GrpcForward forward, Leader leader, String query) {
    Call call =
        new Call(
            "GET",
            "/api/v1/events",
            query,
            new byte[0],
            new Caller(Role.READER, "somebody", "client:5"));
    return forward
        .forward(leader.address(), call)
        .toCompletableFuture()
        .thenApply(answer -> answer.status());
  }

  private static int ask(GrpcForward forward, Leader leader) {
    return begin(forward, leader).join();
  }

  private static void assertUnavailable(GrpcForward forward, Leader leader) {
    assertThatThrownBy(() -> ask(forward, leader))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            SluiceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE));
  }

  @Test
  void watchesLeaveRoomForOtherCalls() throws InterruptedException {
    GrpcForward forward = forward(LONG);
    Leader leader = leader(0);
    leader.silent = true;
    List<CompletableFuture<Integer>> watches = new ArrayList<>();
    for (int i = 0; i < GrpcForward.WAITING; i++) {
      watches.add(begin(forward, leader, "wait=4"));
    }

    assertThatThrownBy(() -> begin(forward, leader, "wait=4"))
        .isInstanceOfSatisfying(
            SluiceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.TOO_MANY_STREAMS));
    StreamObserver<RestAnswer> first = leader.unanswered.take();
    leader.silent = false;
    assertThat(ask(forward, leader)).isEqualTo(204);
    first.onNext(RestAnswer.newBuilder().setStatus(200).build());
    first.onCompleted();
    CompletableFuture.anyOf(watches.toArray(new CompletableFuture<?>[0])).join();

    assertThat(begin(forward, leader, "wait=4").join()).as("there is room again").isEqualTo(204);
  }

  /** Without help gRPC would fail every call for the pause after its last failure, 1 s and more. */
  @Test
  void reachesALeaderThatIsBackWithTheNextCall() throws InterruptedException {
    GrpcForward forward = forward(LONG);
    Leader leader = leader(0);
    assertThat(ask(forward, leader)).isEqualTo(204);
    leader.stop();
    for (int i = 0; i < FAILURES; i++) {
      assertUnavailable(forward, leader);
    }

    Leader back = leader(leader.port);

    assertThat(ask(forward, back)).isEqualTo(204);
  }

  /** A refusal by the leader may have the status of a way that failed, and came over a good one. */
  @ParameterizedTest
  @EnumSource(names = {"FAILED_PRECONDITION", "UNAVAILABLE"})
  void goesOnWithTheWayThatARefusalCameBy(Status.Code status) {
    GrpcForward forward = forward(LONG);
    Leader leader = leader(0);
    ErrorDetail detail =
        ErrorDetail.newBuilder().setCode(ErrorCode.NOT_LEADER.number()).setMessage("no").build();
    leader.failure = ErrorTrailer.toException(status, detail);
    assertUnavailable(forward, leader);
    leader.failure = null;

    assertThat(ask(forward, leader)).isEqualTo(204);
    assertThat(leader.connections).hasValue(1);
  }

  @Test
  void leavesAWayThatIsUnavailable() {
    GrpcForward forward = forward(LONG);
    Leader leader = leader(0);
    leader.failure = Status.UNAVAILABLE.asRuntimeException();
    assertUnavailable(forward, leader);
    leader.failure = null;

    assertThat(ask(forward, leader)).isEqualTo(204);
    assertThat(leader.connections).hasValue(2);
  }

  @Test
  void leavesAWayThatDoesNotAnswerInTime() {
    GrpcForward forward = forward(Duration.ofSeconds(1));
    Leader leader = leader(0);
    leader.silent = true;
    assertUnavailable(forward, leader);
    leader.silent = false;

    // On a machine that is busy a second may be too short for an answer as well.
    long giveUp = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (begin(forward, leader).exceptionally(failure -> 0).join() != 204) {
      assertThat(Clock.system().nanoTime()).as("an answer in time").isLessThan(giveUp);
    }
    assertThat(leader.connections).hasValueGreaterThanOrEqualTo(2);
  }

  @Test
  void callsOnAWayThatWasLeftGoOn() throws Exception {
    GrpcForward forward = forward(LONG);
    Leader before = leader(0);
    before.silent = true;
    CompletableFuture<Integer> underWay = begin(forward, before);
    StreamObserver<RestAnswer> caller = before.unanswered.poll(20, TimeUnit.SECONDS);
    assertThat(caller).isNotNull();

    assertThat(ask(forward, leader(0))).isEqualTo(204);
    caller.onNext(RestAnswer.newBuilder().setStatus(200).build());
    caller.onCompleted();

    assertThat(underWay.get(20, TimeUnit.SECONDS)).isEqualTo(200);
  }

  @Test
  void theEndIsThatOfCallsOnWaysThatWereLeftToo() throws Exception {
    GrpcForward forward = forward(LONG);
    Leader before = leader(0);
    before.silent = true;
    CompletableFuture<Integer> underWay = begin(forward, before);
    assertThat(before.unanswered.poll(20, TimeUnit.SECONDS)).isNotNull();
    assertThat(ask(forward, leader(0))).isEqualTo(204);
    assertThat(underWay).isNotDone();

    forward.close();

    assertThatThrownBy(() -> underWay.get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(SluiceException.class)
        // Else only its socket was taken from under it, if it had one already.
        .hasMessageContaining("shutdownNow");
  }

  /** Each leaves the way that the other has just taken. */
  @Test
  void whoLeavesAWayDoesNotFailACallThatBegins() {
    GrpcForward forward = forward(LONG);
    List<Leader> leaders = List.of(leader(0), leader(0));
    List<CompletableFuture<Void>> askers = new ArrayList<>();
    for (Leader leader : leaders) {
      askers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 200; i++) {
                  assertThat(ask(forward, leader)).isEqualTo(204);
                }
              }));
    }

    askers.forEach(CompletableFuture::join);
  }
}
