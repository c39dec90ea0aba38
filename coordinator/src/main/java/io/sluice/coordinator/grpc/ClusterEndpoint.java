package io.sluice.coordinator.grpc;

import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.rest.Caller;
import io.sluice.coordinator.rest.RestApi;
import io.sluice.coordinator.rest.Role;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import io.sluice.proto.control.v1.Uuid;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What operators' tools call. */
final class ClusterEndpoint extends ClusterServiceGrpc.ClusterServiceImplBase {
  private final Leadership leadership;
  private final RestApi rest;
  private final String who;

  /**
   * @param secured whether callers have shown the cluster's key
   */
  ClusterEndpoint(Leadership leadership, RestApi rest, boolean secured) {
    this.leadership = leadership;
    this.rest = rest;
    this.who = secured ? "cluster-key" : "anybody";
  }

  @Override
  public void callRest(RestCall request, StreamObserver<RestAnswer> caller) {
    UnaryCall.answerLater(
        caller,
        () ->
            rest.call(Requests.rest(request, who, CallerAddress.current()))
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
    Caller operator = new Caller(Role.ADMIN, who, CallerAddress.current());
    String what = (request.getUndo() ? "undrain" : "drain") + (request.getForce() ? " forced" : "");
    try {
      ServerId server = Requests.server(request.hasServer(), request.getServer());
      new DrainStream(
              leadership.cluster().decommissions(),
              server,
              (ServerCallStreamObserver<DrainProgress>) caller)
          .open(request)
          .whenComplete((kept, failure) -> note(operator, what, server.toString(), failure));
    } catch (RuntimeException e) {
      note(operator, what, request.hasServer() ? named(request.getServer()) : "", e);
      caller.onError(ControlErrors.toStatus(e));
    }
  }

  /** In one line, whether there can be such a server or not. */
  private static String named(Uuid server) {
    return new UUID(server.getHigh(), server.getLow()).toString();
  }

  private void note(Caller operator, String what, String server, @Nullable Throwable failure) {
    rest.audit()
        .note(
            operator,
            what + " " + server,
            "",
            failure == null ? "OK" : ControlErrors.toStatus(failure).getStatus().getCode().name());
  }
}
