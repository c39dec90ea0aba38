package org.apache.spark.shuffle.sluice.driver;

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
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.UnregisterApplicationRequest;
import io.sluice.proto.control.v1.UnregisterApplicationResponse;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.error.ErrorTrailer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A coordinator of one server that places partitions up to a quota, and remembers what it was asked
 * as {@code +SHUFFLE.GENERATION:PARTITIONS} and {@code -SHUFFLE.GENERATION}; a refusal as {@code
 * !}.
 */
final class PlacingCoordinator extends ApplicationServiceGrpc.ApplicationServiceImplBase
    implements AutoCloseable {
  final LinkedBlockingQueue<String> calls = new LinkedBlockingQueue<>();

  private final Server server;
  private final int quota;

  // Guarded by this.
  private final Map<String, Integer> placed = new HashMap<>();
  private final List<Runnable> removals = new ArrayList<>();
  private boolean refusesBeforeItRemoves;

  PlacingCoordinator(int quota) throws IOException {
    this.quota = quota;
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(this)
            .build()
            .start();
  }

  HostPort address() {
    return new HostPort("127.0.0.1", server.getPort());
  }

  /** From now on removals are done behind the next refusal. */
  synchronized void refuseBeforeRemoving() {
    refusesBeforeItRemoves = true;
  }

  private static <T> void reply(StreamObserver<T> caller, T response) {
    caller.onNext(response);
    caller.onCompleted();
  }

  private static String name(ShuffleRef shuffle) {
    return shuffle.getShuffleId() + "." + shuffle.getGeneration();
  }

  @Override
  public void registerApplication(
      RegisterApplicationRequest request, StreamObserver<RegisterApplicationResponse> caller) {
    reply(
        caller,
        RegisterApplicationResponse.newBuilder()
            .setHeartbeatIntervalMillis(60_000)
            .setTerm(1)
            .setVersion(2)
            .build());
  }

  @Override
  public synchronized void createShuffle(
      CreateShuffleRequest request, StreamObserver<CreateShuffleResponse> caller) {
    String shuffle = name(request.getShuffle());
    int sum = placed.values().stream().mapToInt(Integer::intValue).sum();
    if (sum + request.getPartitions() > quota) {
      calls.add("!" + shuffle + ":" + request.getPartitions());
      caller.onError(
          ErrorTrailer.toException(
              Status.Code.RESOURCE_EXHAUSTED,
              ErrorDetail.newBuilder()
                  .setCode(ErrorCode.QUOTA_EXCEEDED.forOlderPeers().number())
                  .setNewerCode(ErrorCode.QUOTA_EXCEEDED.newerNumber())
                  .setMessage("too many partitions")
                  .build()));
      refusesBeforeItRemoves = false;
      removals.forEach(Runnable::run);
      removals.clear();
      return;
    }
    placed.put(shuffle, request.getPartitions());
    calls.add("+" + shuffle + ":" + request.getPartitions());
    Placement.Builder placement = Placement.newBuilder().setReplicas(1);
    placement.addServers(
        ServerAddress.newBuilder()
            .setId(Uuid.newBuilder().setHigh(9).setLow(1))
            .setIncarnation(1)
            .setHost("server")
            .setPort(9000));
    for (int i = 0; i < request.getPartitions(); i++) {
      placement.addAssignment(0);
    }
    reply(caller, CreateShuffleResponse.newBuilder().setPlacement(placement).setTerm(1).build());
  }

  @Override
  public synchronized void removeShuffle(
      RemoveShuffleRequest request, StreamObserver<RemoveShuffleResponse> caller) {
    Runnable removal =
        () -> {
          placed.remove(name(request.getShuffle()));
          calls.add("-" + name(request.getShuffle()));
          reply(caller, RemoveShuffleResponse.getDefaultInstance());
        };
    if (refusesBeforeItRemoves) {
      removals.add(removal);
    } else {
      removal.run();
    }
  }

  @Override
  public void heartbeatApplication(
      HeartbeatApplicationRequest request, StreamObserver<HeartbeatApplicationResponse> caller) {
    reply(caller, HeartbeatApplicationResponse.newBuilder().setTerm(1).build());
  }

  @Override
  public void unregisterApplication(
      UnregisterApplicationRequest request, StreamObserver<UnregisterApplicationResponse> caller) {
    reply(caller, UnregisterApplicationResponse.getDefaultInstance());
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
