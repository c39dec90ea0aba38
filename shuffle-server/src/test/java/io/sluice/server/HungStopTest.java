package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigReader;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.disk.NamedPipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose disk begins to hang when all that is left is to seal it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HungStopTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private static ServerConfig config(Path disk, FakeCoordinator coordinator) {
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION))
            .values(
                "test",
                Map.of(
                    "server.memory", "1600m",
                    "server.port", "0",
                    "server.http.port", "0",
                    "server.host", "localhost",
                    "server.event-loops", "2",
                    "server.stop.flush-timeout", "1s",
                    "server.data-dirs", disk.toString(),
                    "server.coordinators", coordinator.address().toString()))
            .read());
  }

  /** Takes the 21 s that there are for it. */
  @Test
  void saysThatItsLifeIsLostAndStopsAlsoIfACoordinatorWantsAnother() throws Exception {
    Path disk = directory.resolve("disk");
    try (FakeCoordinator coordinator = new FakeCoordinator()) {
      ShuffleServer server = ShuffleServer.start(config(disk, coordinator));
      while (!server.admitted()) {
        coordinator.reports.take(); // one comes every 20 ms
      }
      Path replacement = disk.resolve("identity.tmp");
      NamedPipe.make(replacement);
      try {
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
        ServerReport report = coordinator.reports.take();
        while (!report.getStopping()) {
          report = coordinator.reports.take();
        }
        // Now or in a moment the seal hangs, and with it whatever else is to be written there.
        coordinator.send(ServerDirective.newBuilder().setFenceIncarnation(1).build());
        stopped.get();

        List<ServerReport> reports = new ArrayList<>();
        coordinator.reports.drainTo(reports);
        assertThat(reports).as("since").isNotEmpty();
        ServerReport last = reports.get(reports.size() - 1);
        assertThat(last.getStopping()).isTrue();
        assertThat(last.getDataLost()).isTrue();
      } finally {
        Files.newInputStream(replacement).close();
      }
    }
  }
}
