package io.sluice.cli.cluster;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks coordinators what they know; the first that answers will do. */
public final class ClusterView {
  private static final long DEADLINE_SECONDS = 10;

  private ClusterView() {}

  /**
   * @param channels how they are reached
   * @param coordinators host:port of each
   * @throws CommandFailedException if none of them answers, with each one's reason
   */
  public static GetClusterResponse ask(CoordinatorChannels channels, List<String> coordinators) {
    List<String> reasons = new ArrayList<>();
    for (String coordinator : coordinators) {
      ManagedChannel channel = channels.to(coordinator);
      try {
        return ClusterServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
            .getCluster(GetClusterRequest.getDefaultInstance());
      } catch (StatusRuntimeException refused) {
        reasons.add(coordinator + ": " + refused.getStatus().getCode() + describe(refused));
      } finally {
        channel.shutdownNow();
      }
    }
    throw new CommandFailedException(
        ExitCode.UNAVAILABLE, "no coordinator answers: " + String.join("; ", reasons));
  }

  private static String describe(StatusRuntimeException refused) {
    String description = refused.getStatus().getDescription();
    return description == null ? "" : " (" + description + ")";
  }
}
