package io.sluice.coordinator;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.time.Clock;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts and asks real coordinators on loopback. */
final class TestCoordinators {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private TestCoordinators() {}

  static CoordinatorConfig config(Path directory, Map<String, String> more) {
    Map<String, String> values = new HashMap<>();
    values.put("coordinator.host", "127.0.0.1");
    values.put("coordinator.bind-address", "127.0.0.1");
    values.put("coordinator.port", "0");
    values.put("coordinator.http.port", "0");
    values.put("coordinator.data-dir", directory.toString());
    values.putAll(more);
    return CoordinatorConfig.from(
        new ConfigReader(List.of(CoordinatorConfig.SECTION)).values("test", values).read());
  }

  static ManagedChannel connect(Coordinator coordinator) {
    return NettyChannelBuilder.forAddress("127.0.0.1", coordinator.address().port())
        .usePlaintext()
        .build();
  }

  /** Asks until the coordinator leads; the election is not announced to callers. */
  static GetClusterResponse awaitLeader(ManagedChannel channel) {
    long deadline = Clock.system().nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return ClusterServiceGrpc.newBlockingStub(channel)
            .withWaitForReady()
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .getCluster(GetClusterRequest.getDefaultInstance());
      } catch (StatusRuntimeException e) {
        if (Clock.system().nanoTime() > deadline) {
          throw new AssertionError("no leader within " + PATIENCE, e);
        }
      }
    }
  }
}
