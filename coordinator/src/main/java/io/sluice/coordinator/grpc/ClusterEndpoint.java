package io.sluice.coordinator.grpc;

import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.rest.RestApi;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;

/** What operators' tools call. */
final class ClusterEndpoint extends ClusterServiceGrpc.ClusterServiceImplBase {
  private final Leadership leadership;
  private final RestApi rest;

  ClusterEndpoint(Leadership leadership, RestApi rest) {
    this.leadership = leadership;
    this.rest = rest;
  }

  @Override
  public void callRest(RestCall request, StreamObserver<RestAnswer> caller) {
    UnaryCall.answerLater(
        caller,
        () ->
            rest.call(Requests.rest(request))
                .thenApply(
                    answer ->
                        RestAnswer.newBuilder()
                            .setStatus(answer.status())
                            .setContentType(answer.contentType())
                            .setBody(ByteString.copyFrom(answer.body()))
                            .build()));
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
