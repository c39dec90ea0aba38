package io.sluice.client.control;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.CreateShuffleResponse;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeartbeatApplicationResponse;
import io.sluice.proto.control.v1.Placement;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import io.sluice.proto.control.v1.RemoveShuffleRequest;
import io.sluice.proto.control.v1.RemoveShuffleResponse;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.control.v1.UnregisterApplicationRequest;
import io.sluice.proto.control.v1.UnregisterApplicationResponse;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.control.v1.WatchServersRequest;
import io.sluice.proto.error.ErrorTrailer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A coordinator on loopback that answers as it is told and remembers what it was asked. */
final class FakeCoordinator extends ApplicationServiceGrpc.ApplicationServiceImplBase
    implements AutoCloseable {
  static final int HEARTBEAT_MILLIS = 20;

  final List<RegisterApplicationRequest> registrations = new CopyOnWriteArrayList<>();
  final LinkedBlockingQueue<Object> calls = new LinkedBlockingQueue<>();
  final LinkedBlockingQueue<StreamObserver<ServerEvents>> watches = new LinkedBlockingQueue<>();
  volatile @Nullable ErrorDetail refusal;

  /** How often {@link #refusal} is still given. */
  final AtomicInteger refusals = new AtomicInteger(Integer.MAX_VALUE);

  /** What {@link #refusal} is given to. */
  volatile Class<?> refused = Object.class;

  volatile boolean knowsApplication = true;
  volatile boolean answersRemovals = true;
  volatile long term = 1;

  /** 0: none, as before there were numbers; then placements name no term either. */
  volatile int version = 2;

  /** Whether heartbeats that name shuffles wait to be answered by {@link #answerTelling}. */
  volatile boolean keepsTelling;

  /** Whether shuffles wait to be placed by {@link #answerPlacing}. */
  volatile boolean keepsPlacing;

  private final LinkedBlockingQueue<Runnable> telling = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<Runnable> placing = new LinkedBlockingQueue<>();
  private final Server server;

  FakeCoordinator() {
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .addService(this)
              .permitKeepAliveTime(1, TimeUnit.SECONDS)
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  HostPort address() {
    return new HostPort("127.0.0.1", server.getPort());
  }

  static ErrorDetail notLeader(String leader) {
    return ErrorDetail.newBuilder()
        .setCode(ErrorCode.NOT_LEADER.number())
        .setLeader(leader)
        .setMessage("follower")
        .build();
  }

  static ErrorDetail error(ErrorCode code, String message) {
    return ErrorDetail.newBuilder()
        .setCode(code.forOlderPeers().number())
        .setNewerCode(code.newerNumber())
        .setMessage(message)
        .build();
  }

  private <T> void answer(StreamObserver<T> caller, Object request, T response) {
    if (!refuse(caller, request)) {
      reply(caller, response);
    }
  }

  private boolean refuse(StreamObserver<?> caller, Object request) {
    calls.add(request);
    ErrorDetail error = refusal;
    if (error == null || !refused.isInstance(request) || refusals.getAndDecrement() <= 0) {
      return false;
    }
    caller.onError(ErrorTrailer.toException(Status.Code.FAILED_PRECONDITION, error));
    return true;
  }

  private static <T> void reply(StreamObserver<T> caller, T response) {
    caller.onNext(response);
    caller.onCompleted();
  }

  private static void refuseUnknown(StreamObserver<?> caller) {
    caller.onError(
        ErrorTrailer.toException(
            Status.Code.NOT_FOUND, error(ErrorCode.UNKNOWN_APPLICATION, "who?")));
  }

  @Override
  public void registerApplication(
      RegisterApplicationRequest request, StreamObserver<RegisterApplicationResponse> caller) {
    if (!refuse(caller, request)) {
      registrations.add(request);
      knowsApplication = true;
      reply(
          caller,
          RegisterApplicationResponse.newBuilder()
              .setHeartbeatIntervalMillis(HEARTBEAT_MILLIS)
              .setTerm(term)
              .setVersion(version)
              .build());
    }
  }

  @Override
  public void createShuffle(
      CreateShuffleRequest request, StreamObserver<CreateShuffleResponse> caller) {
    if (!knowsApplication) {
      refuseUnknown(caller);
      return;
    }
    Placement.Builder placement = Placement.newBuilder().setReplicas(1);
    for (int i = 0; i < 2; i++) {
      placement.addServers(address(i, 1));
    }
    for (int i = 0; i < request.getPartitions(); i++) {
      placement.addAssignment(i % 2);
    }
    CreateShuffleResponse placed =
        CreateShuffleResponse.newBuilder()
            .setPlacement(placement)
            .setTerm(version == 0 ? 0 : term)
            .build();
    if (keepsPlacing) {
      calls.add(request);
      placing.add(() -> reply(caller, placed));
    } else {
      answer(caller, request, placed);
    }
  }

  /** Places the shuffle that was kept waiting. */
  void answerPlacing() throws InterruptedException {
    placing.take().run();
  }

  static ServerAddress address(long id, long incarnation) {
    return ServerAddress.newBuilder()
        .setId(Uuid.newBuilder().setHigh(9).setLow(id))
        .setIncarnation(incarnation)
        .setHost("server-" + id)
        .setPort(9000)
        .build();
  }

  @Override
  public void removeShuffle(
      RemoveShuffleRequest request, StreamObserver<RemoveShuffleResponse> caller) {
    if (answersRemovals) {
      answer(caller, request, RemoveShuffleResponse.getDefaultInstance());
    } else {
      calls.add(request);
    }
  }

  @Override
  public void heartbeatApplication(
      HeartbeatApplicationRequest request, StreamObserver<HeartbeatApplicationResponse> caller) {
    if (!knowsApplication) {
      refuseUnknown(caller);
    } else if (keepsTelling && request.getShufflesCount() > 0) {
      calls.add(request);
      telling.add(
          () -> reply(caller, HeartbeatApplicationResponse.newBuilder().setTerm(term).build()));
    } else {
      answer(caller, request, HeartbeatApplicationResponse.newBuilder().setTerm(term).build());
    }
  }

  /** Answers the heartbeat that was kept. */
  void answerTelling() throws InterruptedException {
    telling.take().run();
  }

  @Override
  public void unregisterApplication(
      UnregisterApplicationRequest request, StreamObserver<UnregisterApplicationResponse> caller) {
    answer(caller, request, UnregisterApplicationResponse.getDefaultInstance());
  }

  @Override
  public void watchServers(WatchServersRequest request, StreamObserver<ServerEvents> caller) {
    if (knowsApplication) {
      calls.add(request);
      watches.add(caller);
    } else {
      refuseUnknown(caller);
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
