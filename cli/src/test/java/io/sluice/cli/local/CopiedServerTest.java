package io.sluice.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.cluster.ClusterView;
import io.sluice.cli.cluster.CoordinatorChannels;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.service.ServerJvm;
import io.sluice.common.config.DataSize;
import io.sluice.proto.control.v1.ServerState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With real processes: two servers with one id, because the disks of one are copies, and two that
 * advertise one address.
 */
class CopiedServerTest {
  private static final DataSize MEMORY = DataSize.parse("256m");

  private final Path directory;

  CopiedServerTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void theSecondEndsWith78AndTheFirstGoesOn() throws Exception {
    try (ProcessGroup group = ProcessGroup.endedBySignals(() -> {})) {
      LocalCluster cluster = LocalCluster.start(group, settings(), directory);
      String first = cluster.servers().get(0).announcement().address();
      Path copied = directory.resolve("copy/data");
      // While it runs and writes nothing, as a snapshot of its disk would be.
      copy(directory.resolve("server-1/data"), copied);

      LocalService second = second(group, cluster, Map.of("server.data-dirs", copied.toString()));
      assertThatThrownBy(second::awaitReady)
          .isInstanceOf(ChildFailedException.class)
          .hasMessageContaining("copy ended with exit code 78")
          .hasMessageContaining("is in use by " + first)
          .hasMessageContaining("remove the identity files on the copies");
      assertThatOnlyTheFirstIsThere(cluster, first);
    }
  }

  @Test
  void aSecondServerAtTheAddressOfTheFirstEndsWith78() throws Exception {
    try (ProcessGroup group = ProcessGroup.endedBySignals(() -> {})) {
      LocalCluster cluster = LocalCluster.start(group, settings(), directory);
      String first = cluster.servers().get(0).announcement().address();
      String port = first.substring(first.lastIndexOf(':') + 1);

      LocalService second =
          second(
              group,
              cluster,
              Map.of(
                  "server.data-dirs",
                  directory.resolve("blank/data").toString(),
                  "server.advertised-port",
                  port));

      assertThatThrownBy(second::awaitReady)
          .isInstanceOf(ChildFailedException.class)
          .hasMessageContaining("copy ended with exit code 78")
          .hasMessageContaining("address " + first + " is in use by server ")
          .hasMessageContaining("server.advertised-port");
      assertThatOnlyTheFirstIsThere(cluster, first);
    }
  }

  private static LocalClusterSettings settings() {
    return new LocalClusterSettings(1, MEMORY, Map.of());
  }

  private LocalService second(ProcessGroup group, LocalCluster cluster, Map<String, String> own)
      throws Exception {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "server.host", "127.0.0.1",
                "server.bind-address", "127.0.0.1",
                "server.port", "0",
                "server.http.port", "0",
                "server.coordinators", cluster.coordinatorAddress(),
                "server.memory", MEMORY.toString()));
    values.putAll(own);
    return LocalService.start(
        group,
        "server",
        settings().classPath(),
        new LocalService.JvmStart(ServerJvm.flags(MEMORY), ServerJvm.environment()),
        values,
        directory.resolve("copy"));
  }

  private static void assertThatOnlyTheFirstIsThere(LocalCluster cluster, String first) {
    assertThat(
            ClusterView.ask(CoordinatorChannels.open(), List.of(cluster.coordinatorAddress()))
                .getServersList())
        .singleElement()
        .satisfies(
            server -> {
              assertThat(server.getState()).isEqualTo(ServerState.ACTIVE);
              assertThat(server.getAddress().getHost() + ":" + server.getAddress().getPort())
                  .isEqualTo(first);
            });
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }
}
