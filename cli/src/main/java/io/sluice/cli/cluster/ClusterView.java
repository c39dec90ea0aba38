package io.sluice.cli.cluster;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Asks whoever leads what he knows. */
public final class ClusterView {
  private static final long DEADLINE_SECONDS = 10;

  private ClusterView() {}

  /**
   * @param channels how they are reached
   * @param coordinators host:port of each; the leader need not be among them
   * @throws io.sluice.cli.CommandFailedException if none of them answers, with each one's reason
   */
  public static GetClusterResponse ask(CoordinatorChannels channels, List<String> coordinators) {
    LeaderSearch search = new LeaderSearch(coordinators);
    for (Optional<String> next = search.next(); next.isPresent(); next = search.next()) {
      ManagedChannel channel = channels.to(next.get());
      try {
        return ClusterServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
            .getCluster(GetClusterRequest.getDefaultInstance());
      } catch (StatusRuntimeException refused) {
        search.failed(next.get(), refused);
      } finally {
        channel.shutdownNow();
      }
    }
    throw search.nobodyAnswers();
  }
}
