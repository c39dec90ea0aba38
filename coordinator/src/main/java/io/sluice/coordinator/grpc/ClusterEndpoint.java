package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;

/** What operators' tools call. */
final class ClusterEndpoint extends ClusterServiceGrpc.ClusterServiceImplBase {
  private final Leadership leadership;

  ClusterEndpoint(Leadership leadership) {
    this.leadership = leadership;
  }

  @Override
  public void getCluster(GetClusterRequest request, StreamObserver<GetClusterResponse> caller) {
    UnaryCall.answer(
        caller,
        () -> {
          Cluster cluster = leadership.cluster();
          return GetClusterResponse.newBuilder()
              .setTerm(cluster.term())
              .setLeader(leadership.leader())
              .addAllServers(cluster.servers().stream().map(Responses::server).toList())
              .addAllApplications(
                  cluster.applications().stream().map(Responses::application).toList())
              .addAllDecommissioned(
                  cluster.decommissions().all().stream().map(Responses::uuid).toList())
              .build();
        });
  }

  @Override
  public void drainServer(DrainServerRequest request, StreamObserver<DrainProgress> caller) {
    try {
      new DrainStream(
              leadership.cluster().decommissions(),
              Requests.server(request.hasServer(), request.getServer()),
              (ServerCallStreamObserver<DrainProgress>) caller)
          .open(!request.getUndo(), request.getWait());
    } catch (RuntimeException e) {
      caller.onError(ControlErrors.toStatus(e));
    }
  }
}
