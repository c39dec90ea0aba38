package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.CreateShuffleResponse;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeartbeatApplicationResponse;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import io.sluice.proto.control.v1.RemoveShuffleRequest;
import io.sluice.proto.control.v1.RemoveShuffleResponse;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.control.v1.UnregisterApplicationRequest;
import io.sluice.proto.control.v1.UnregisterApplicationResponse;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** What drivers call. */
final class ApplicationEndpoint extends ApplicationServiceGrpc.ApplicationServiceImplBase {
  private final Leadership leadership;
  private final CallGuard guard;
  private final SecurityConfig security;
  private final Clock clock;

  ApplicationEndpoint(
      Leadership leadership, CallGuard guard, SecurityConfig security, Clock clock) {
    this.leadership = leadership;
    this.guard = guard;
    this.security = security;
    this.clock = clock;
  }

  @Override
  public void registerApplication(
      RegisterApplicationRequest request, StreamObserver<RegisterApplicationResponse> caller) {
    UnaryCall.answerLater(
        caller,
        () -> {
          ApplicationRecord record = Requests.registration(request, clock.wallTimeMillis());
          Cluster cluster = leadership.cluster();
          int version =
              Requests.version("client", request.getOldestVersion(), request.getNewestVersion());
          guard.requireProof(record);
          return cluster
              .register(record)
              .thenApply(registered -> welcome(cluster, record, version));
        });
  }

  private static RegisterApplicationResponse welcome(
      Cluster cluster, ApplicationRecord record, int version) {
    var lease = cluster.rules().applications().atLeast(record.leaseMillis());
    return RegisterApplicationResponse.newBuilder()
        .setHeartbeatIntervalMillis(TimeUnit.NANOSECONDS.toMillis(lease.heartbeatIntervalNanos()))
        .setExpiryMillis(TimeUnit.NANOSECONDS.toMillis(lease.expiryNanos()))
        .setTerm(cluster.term())
        .setVersion(version)
        .build();
  }

  @Override
  public void createShuffle(
      CreateShuffleRequest request, StreamObserver<CreateShuffleResponse> caller) {
    UnaryCall.answerLater(
        caller,
        () -> {
          ShuffleKey shuffle = Requests.shuffle(request.hasShuffle(), request.getShuffle());
          Cluster cluster = leadership.cluster();
          guard.require(cluster, shuffle.application());
          security.checkReplicas(request.getReplicas());
          Placement placement =
              cluster.createShuffle(
                  shuffle,
                  request.getPartitions(),
                  request.getReplicas(),
                  Requests.excluded(request));
          return cluster
              .stillLeads()
              .thenApply(
                  leads ->
                      CreateShuffleResponse.newBuilder()
                          .setPlacement(Responses.placement(placement))
                          .setTerm(cluster.term())
                          .build());
        });
  }

  @Override
  public void removeShuffle(
      RemoveShuffleRequest request, StreamObserver<RemoveShuffleResponse> caller) {
    UnaryCall.answer(
        caller,
        () -> {
          ShuffleKey shuffle = Requests.shuffle(request.hasShuffle(), request.getShuffle());
          Cluster cluster = leadership.cluster();
          if (guard.allows(cluster, shuffle.application())) {
            cluster.removeShuffle(
                shuffle, Requests.servers(request.getLaterServersList(), "id of a later server"));
          }
          return RemoveShuffleResponse.getDefaultInstance();
        });
  }

  @Override
  public void heartbeatApplication(
      HeartbeatApplicationRequest request, StreamObserver<HeartbeatApplicationResponse> caller) {
    UnaryCall.answer(
        caller,
        () -> {
          Cluster cluster = leadership.cluster();
          ApplicationId application =
              Requests.application(request.hasApplication(), request.getApplication());
          guard.require(cluster, application);
          cluster.heartbeat(application, Requests.held(application, request));
          return HeartbeatApplicationResponse.newBuilder().setTerm(cluster.term()).build();
        });
  }

  @Override
  public void unregisterApplication(
      UnregisterApplicationRequest request, StreamObserver<UnregisterApplicationResponse> caller) {
    UnaryCall.answerLater(
        caller,
        () -> {
          ApplicationId application =
              Requests.application(request.hasApplication(), request.getApplication());
          Cluster cluster = leadership.cluster();
          CompletionStage<Void> kept =
              guard.allows(cluster, application)
                  ? cluster.unregister(application)
                  : CompletableFuture.completedFuture(null);
          return kept.thenApply(done -> UnregisterApplicationResponse.getDefaultInstance());
        });
  }

  @Override
  public void watchServers(WatchServersRequest request, StreamObserver<ServerEvents> caller) {
    try {
      ApplicationId application =
          Requests.application(request.hasApplication(), request.getApplication());
      Cluster cluster = leadership.cluster();
      guard.require(cluster, application);
      new WatchStream(
              cluster,
              application,
              request.getOwn(),
              (ServerCallStreamObserver<ServerEvents>) caller)
          .open(Requests.watched(request));
    } catch (RuntimeException e) {
      caller.onError(ControlErrors.toStatus(e));
    }
  }
}
