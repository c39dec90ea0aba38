package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.ApplicationUsers;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.UserApplications;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.server.config.ServerConfig;
import io.sluice.tier.hdfs.MiniHdfs;
import io.sluice.transport.ServerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whole servers over sockets, with a real HDFS below them. */
class HdfsServerTest {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(3);
  private static final List<TestBlock> BLOCKS =
      List.of(
          new TestBlock(0, 0, 0, 0, 5_000),
          new TestBlock(0, 1, 1, 0, 40),
          new TestBlock(7, 0, 0, 0, 20_000));

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private final String root = HDFS.newFolder().toString();
  private final FakeCoordinator coordinator;

  HdfsServerTest() throws IOException {
    coordinator = new FakeCoordinator();
  }

  @AfterEach
  void stopCoordinator() {
    coordinator.close();
  }

  private ServerConfig config(Map<String, String> more) {
    Map<String, String> values = new HashMap<>();
    values.put("server.memory", "1600m");
    values.put("server.port", "0");
    values.put("server.http.port", "0");
    values.put("server.host", "localhost");
    values.put("server.event-loops", "2");
    values.put("server.coordinators", coordinator.address().toString());
    values.put("server.hdfs.root", root);
    values.putAll(more);
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION)).values("test", values).read());
  }

  @Test
  void anotherServerServesWhatADeadOneLeft() throws Exception {
    ServerIdentity dead;
    try (ShuffleServer server = ShuffleServer.start(config(Map.of()));
        SocketClient client = new SocketClient(server.port())) {
      dead = server.identity();
      client.push(SHUFFLE, BLOCKS);
    }
    try (ShuffleServer standIn = ShuffleServer.start(config(Map.of()));
        SocketClient client = new SocketClient(standIn.port())) {
      assertThat(standIn.identity().id()).isNotEqualTo(dead.id());
      assertThatThrownBy(() -> client.fetch(SHUFFLE, standIn.identity().incarnation(), 10))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE));

      standIn.standInFor(dead.id());

      assertThat(client.fetch(SHUFFLE, standIn.identity().incarnation(), 10))
          .containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
  }

  @Test
  void segmentsBelongToTheUserWhomTheCoordinatorNames() throws Exception {
    try (ShuffleServer server =
            ShuffleServer.start(
                config(Map.of("server.hdfs.impersonate", "true", "server.quota.user", "1g")));
        SocketClient client = new SocketClient(server.port())) {
      client.push(SHUFFLE, BLOCKS);
      assertThat(coordinator.hello().getHello().getWantsUsers()).isTrue();
      coordinator.send(
          ServerDirective.newBuilder()
              .setApplicationUsers(
                  ApplicationUsers.newBuilder()
                      .setFirst(true)
                      .setLast(true)
                      .addUsers(
                          UserApplications.newBuilder()
                              .setUser("alice")
                              .addApplications(
                                  Uuid.newBuilder()
                                      .setHigh(SHUFFLE.application().high())
                                      .setLow(SHUFFLE.application().low()))))
              .build());
      while (server.core().quotas().usedByUser().isEmpty()) {
        coordinator.reports.take(); // one comes every 20 ms
      }
    }
    // Memory went there when the server stopped.
    assertThat(HDFS.ownersBelow(root)).containsExactly("alice");
  }

  @Test
  void dataFallsToHdfsPastAFailingDiskAndIsThereAfterARestart() throws Exception {
    Path disk = directory.resolve("disk");
    Map<String, String> onDisk = Map.of("server.data-dirs", disk.toString());
    ServerIdentity before;
    try (ShuffleServer server = ShuffleServer.start(config(onDisk));
        SocketClient client = new SocketClient(server.port())) {
      before = server.identity();
      client.push(SHUFFLE, BLOCKS);
      // No segment can be created where its folder would be.
      Files.createFile(disk.resolve("segments"));
    }
    Files.delete(disk.resolve("segments"));

    try (ShuffleServer server = ShuffleServer.start(config(onDisk));
        SocketClient client = new SocketClient(server.port())) {
      assertThat(server.identity().id()).isEqualTo(before.id());
      assertThat(client.fetch(SHUFFLE, before.incarnation(), 10))
          .containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
  }

  @Test
  void aServerWithDisksStartsWithoutHdfsAndTakesItInWhenItAnswers() throws Exception {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(root);
    // No folder can be made where a file is.
    HDFS.files().create(path).close();
    Map<String, String> onDisk = Map.of("server.data-dirs", directory.resolve("disk").toString());
    try (ShuffleServer server = ShuffleServer.start(config(onDisk))) {
      coordinator.hello();

      HDFS.files().delete(path, false);
      // It introduces itself anew, with what it has found.
      coordinator.hello();

      assertThat(
              HDFS.files()
                  .exists(new org.apache.hadoop.fs.Path(path, server.identity().id().toString())))
          .isTrue();
    }
  }
}
