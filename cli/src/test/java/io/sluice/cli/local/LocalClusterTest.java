package io.sluice.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.cluster.ClusterView;
import io.sluice.cli.cluster.CoordinatorChannels;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.common.config.DataSize;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ServerState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With real processes. */
class LocalClusterTest {
  private static final DataSize MEMORY = DataSize.parse("256m");

  private final Path directory;

  LocalClusterTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void standsWhenStartedAndIsGoneWhenClosed() throws Exception {
    List<ProcessHandle> processes;
    try (ProcessGroup group = ProcessGroup.endedBySignals(() -> {})) {
      LocalCluster cluster = LocalCluster.start(group, settings(2, Map.of()), directory);
      processes =
          cluster.servers().stream()
              .map(server -> ProcessHandle.of(server.process().pid()).orElseThrow())
              .toList();

      GetClusterResponse seen =
          ClusterView.ask(CoordinatorChannels.open(), List.of(cluster.coordinatorAddress()));
      ServiceUsage usage = cluster.usage();

      assertThat(seen.getServersList())
          .hasSize(2)
          .allSatisfy(server -> assertThat(server.getState()).isEqualTo(ServerState.ACTIVE));
      assertThat(usage.processes().cpuSeconds()).isPositive();
      assertThat(usage.pushedBytes()).isZero();
      assertThat(usage.spilledBytes()).isZero();
    }
    for (ProcessHandle process : processes) {
      process.onExit().get(60, TimeUnit.SECONDS);
    }
    for (int server = 1; server <= 2; server++) {
      assertThat(Files.readString(directory.resolve("server-" + server + "/log")))
          .as("the last words of server %d, said while its JVM shuts down", server)
          .contains("everything in memory has reached a disk")
          .contains("sealed: the next start has everything");
    }
  }

  @Test
  void saysWhyAServerDoesNotStart() throws Exception {
    try (ProcessGroup group = ProcessGroup.endedBySignals(() -> {})) {
      assertThatThrownBy(
              () -> LocalCluster.start(group, settings(1, Map.of("server.memry", "1g")), directory))
          .isInstanceOf(ChildFailedException.class)
          .hasMessageContaining("server-1 ended with exit code 78")
          .hasMessageContaining("did you mean server.memory?");
    }
  }

  private static LocalClusterSettings settings(int servers, Map<String, String> properties) {
    return new LocalClusterSettings(servers, MEMORY, properties);
  }
}
