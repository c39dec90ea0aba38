package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts of servers that are to stand in for others: what comes of that costs them nothing. */
class StandInStartTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(3);
  private static final List<TestBlock> BLOCKS = List.of(new TestBlock(0, 0, 0, 0, 5_000));

  private final Path disk;
  private final Path remote;

  StandInStartTest(@TempDir Path directory) throws IOException {
    disk = directory.resolve("disk");
    remote = Files.createDirectory(directory.resolve("remote"));
  }

  private ServerConfig config(FakeCoordinator coordinator) {
    Map<String, String> values = new HashMap<>();
    values.put("server.memory", "1600m");
    values.put("server.port", "0");
    values.put("server.http.port", "0");
    values.put("server.host", "localhost");
    values.put("server.event-loops", "2");
    values.put("server.coordinators", coordinator.address().toString());
    values.put("server.data-dirs", disk.toString());
    values.put("server.hdfs.root", FolderTier.SCHEME + "://" + remote);
    values.put("server.hdfs.stand-in-for", new UUID(1, 1).toString());
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION)).values("test", values).read());
  }

  @Test
  void aTakeoverForWhichThereIsNoRoomStopsNoStart() throws Exception {
    Files.createFile(remote.resolve(FolderTier.FULL));
    try (FakeCoordinator coordinator = new FakeCoordinator();
        ShuffleServer server = ShuffleServer.start(config(coordinator));
        SocketClient client = new SocketClient(server.port())) {
      client.push(SHUFFLE, BLOCKS);

      assertThat(client.fetch(SHUFFLE, server.identity().incarnation(), 10))
          .containsExactlyElementsOf(BLOCKS);
    }
  }
}
