package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.ApplicationUsers;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.UserApplications;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.server.config.ServerConfig;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole process, with real sockets, disks and a coordinator that only welcomes. */
class ShuffleServerTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(3);
  private static final List<TestBlock> BLOCKS =
      List.of(
          new TestBlock(0, 0, 0, 0, 5_000),
          new TestBlock(0, 1, 1, 0, 40),
          new TestBlock(7, 0, 0, 0, 20_000));

  private final Path directory;
  private final FakeCoordinator coordinator = new FakeCoordinator();

  ShuffleServerTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
  }

  @AfterEach
  void stopCoordinator() {
    coordinator.close();
  }

  private ServerConfig config(Map<String, String> more) {
    // Surefire's JVM has a heap of 1 GiB; the budget must leave room beside it.
    Map<String, String> values = new HashMap<>();
    values.put("server.memory", "1600m");
    values.put("server.port", "0");
    values.put("server.http.port", "0");
    values.put("server.host", "localhost");
    values.put("server.event-loops", "2");
    values.put("server.coordinators", coordinator.address().toString());
    values.putAll(more);
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION)).values("test", values).read());
  }

  private ServerConfig onDisk() {
    return config(Map.of("server.data-dirs", directory.resolve("disk").toString()));
  }

  @Test
  void keepsDataAcrossAnOrderlyRestart() throws Exception {
    ServerIdentity before;
    try (ShuffleServer server = ShuffleServer.start(onDisk());
        SocketClient client = new SocketClient(server.port())) {
      before = server.identity();
      client.push(SHUFFLE, BLOCKS);
      assertThat(client.fetch(SHUFFLE, before.incarnation(), 10))
          .containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
    try (ShuffleServer server = ShuffleServer.start(onDisk());
        SocketClient client = new SocketClient(server.port())) {
      assertThat(server.identity().id()).isEqualTo(before.id());
      assertThat(server.identity().incarnation()).isGreaterThan(before.incarnation());
      assertThat(client.server().intactSince()).isEqualTo(before.incarnation());
      assertThat(client.fetch(SHUFFLE, before.incarnation(), 10))
          .containsExactlyInAnyOrderElementsOf(BLOCKS);
      client.pushAs(before.incarnation(), CoreFixture.shuffle(4), BLOCKS);
      coordinator.hello();
      ServerReport second = coordinator.hello();
      assertThat(second.getHello().getApplicationsCount()).isEqualTo(1);
      assertThat(second.getHello().getAddress().getIntactSince()).isEqualTo(before.incarnation());
    }
  }

  @Test
  void countsWhatAFencedLifeHadAsLostThoughItStoppedInOrder() throws Exception {
    try (ShuffleServer server = ShuffleServer.start(onDisk())) {
      awaitAdmission(server);
      coordinator.send(ServerDirective.newBuilder().setFenceIncarnation(1).build());
      while (server.identity().incarnation() == 1) {
        coordinator.reports.take(); // one comes every 20 ms
      }
      assertThat(server.identity().intactSince()).isEqualTo(2);
    }
    try (ShuffleServer server = ShuffleServer.start(onDisk())) {
      assertThat(server.identity().intactSince()).isEqualTo(2);
    }
  }

  @Test
  void saysThatItStopsAndThatNothingIsLost() throws Exception {
    ShuffleServer server = ShuffleServer.start(onDisk());
    awaitAdmission(server);
    server.close();

    ServerReport last = lastReport();
    assertThat(last.getStopping()).isTrue();
    assertThat(last.getDataLost()).isFalse();
  }

  @Test
  void takesNoBlocksWhileItDrainsAndServesReaders() throws Exception {
    try (ShuffleServer server = ShuffleServer.start(config(Map.of()));
        SocketClient client = new SocketClient(server.port())) {
      awaitAdmission(server);
      client.push(SHUFFLE, BLOCKS);
      coordinator.send(ServerDirective.newBuilder().setDrain(true).build());
      awaitReport(ServerReport::getDraining);

      assertThatThrownBy(() -> client.push(SHUFFLE, BLOCKS))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DRAINING));
      assertThat(client.want()).isEqualTo(ErrorCode.DRAINING);
      assertThat(client.fetch(SHUFFLE, 1, 10)).containsExactlyInAnyOrderElementsOf(BLOCKS);
      coordinator.send(
          ServerDirective.newBuilder()
              .setRemoveApplication(Uuid.newBuilder().setHigh(1).setLow(2))
              .build());
      ServerReport empty =
          awaitReport(report -> report.getDraining() && report.getLoad().getPartitions() == 0);
      assertThat(empty.getStopping()).isFalse();

      coordinator.send(ServerDirective.newBuilder().setDrain(false).build());
      awaitReport(report -> !report.getDraining());
      client.push(new ShuffleKey(ApplicationId.of(3, 4), 1, 0), BLOCKS);
    }
  }

  private void awaitAdmission(ShuffleServer server) throws InterruptedException {
    while (!server.admitted()) {
      coordinator.reports.take();
    }
  }

  private ServerReport awaitReport(Predicate<ServerReport> wanted) throws InterruptedException {
    ServerReport report = coordinator.reports.take();
    while (!wanted.test(report)) {
      report = coordinator.reports.take();
    }
    return report;
  }

  private ServerReport lastReport() {
    List<ServerReport> all = new ArrayList<>();
    coordinator.reports.drainTo(all);
    return all.get(all.size() - 1);
  }

  @Test
  void tellsTheCoordinatorTheAdvertisedPort() throws Exception {
    try (ShuffleServer server =
        ShuffleServer.start(config(Map.of("server.advertised-port", "443")))) {
      ServerReport hello = coordinator.hello();
      assertThat(hello.getHello().getAddress().getPort()).isEqualTo(443);
      assertThat(hello.getHello().getHttpAddress()).isEqualTo("localhost:" + server.httpPort());
      assertThat(server.port()).isNotEqualTo(443);
    }
  }

  @Test
  void servesTheSameDataOverGrpc() throws Exception {
    try (ShuffleServer server = ShuffleServer.start(config(Map.of("server.grpc.port", "0")));
        SocketClient sockets = new SocketClient(server.port());
        SocketClient grpc = new SocketClient(Transport.GRPC, server.grpcPort().orElseThrow())) {
      assertThat(coordinator.hello().getHello().getAddress().getGrpcPort())
          .isEqualTo(server.grpcPort().orElseThrow());
      grpc.push(SHUFFLE, BLOCKS);
      long incarnation = server.identity().incarnation();
      assertThat(sockets.fetch(SHUFFLE, incarnation, 10))
          .containsExactlyInAnyOrderElementsOf(BLOCKS);
      assertThat(grpc.fetch(SHUFFLE, incarnation, 10)).containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
  }

  @Test
  void carriesOutDirectives() throws Exception {
    try (ShuffleServer server = ShuffleServer.start(config(Map.of()));
        SocketClient client = new SocketClient(server.port())) {
      ServerReport hello = coordinator.hello();
      assertThat(hello.getHello().getAddress().getPort()).isEqualTo(server.port());
      client.push(SHUFFLE, BLOCKS);
      coordinator.send(
          ServerDirective.newBuilder()
              .setRemoveApplication(Uuid.newBuilder().setHigh(1).setLow(2))
              .build());
      while (!server.core().shuffles().all().isEmpty()) {
        coordinator.reports.take(); // one comes every 20 ms
      }
      assertThatThrownBy(() -> client.fetch(SHUFFLE, 1, 10))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE));
    }
  }

  @Test
  void asksWhoseApplicationsAreIfThatMattersAndHoldsUsersToTheirQuota() throws Exception {
    try (ShuffleServer indifferent = ShuffleServer.start(config(Map.of()))) {
      assertThat(indifferent.port()).isPositive();
      assertThat(coordinator.hello().getHello().getWantsUsers()).isFalse();
    }
    try (ShuffleServer server = ShuffleServer.start(config(Map.of("server.quota.user", "1m")));
        SocketClient client = new SocketClient(server.port())) {
      assertThat(coordinator.hello().getHello().getWantsUsers()).isTrue();
      client.push(SHUFFLE, BLOCKS);
      coordinator.send(
          ServerDirective.newBuilder()
              .setApplicationUsers(
                  ApplicationUsers.newBuilder()
                      .setFirst(true)
                      .setLast(true)
                      .addUsers(
                          UserApplications.newBuilder()
                              .setUser("ada")
                              .addApplications(Uuid.newBuilder().setHigh(1).setLow(2))))
              .build());
      while (server.core().quotas().usedByUser().isEmpty()) {
        coordinator.reports.take(); // one comes every 20 ms
      }
      assertThat(server.core().quotas().usedByUser())
          .isEqualTo(Map.of("ada", server.core().quotas().used()));
    }
  }

  @Test
  void tellsEveryClientThatItWasFenced() throws Exception {
    try (ShuffleServer server = ShuffleServer.start(config(Map.of()))) {
      coordinator.hello();
      try (SocketClient before = new SocketClient(server.port())) {
        before.push(SHUFFLE, BLOCKS);
        coordinator.send(ServerDirective.newBuilder().setFenceIncarnation(1).build());
        before.awaitEnd();
      }
      try (SocketClient after = new SocketClient(server.port())) {
        assertThat(after.server().incarnation()).isEqualTo(2);
        assertThat(after.fetch(SHUFFLE, 1, 10)).containsExactlyInAnyOrderElementsOf(BLOCKS);
        after.push(CoreFixture.shuffle(4), BLOCKS);
      }
    }
  }

  @Test
  void savesWhatIsStillUnderWayWhenItStops() throws Exception {
    ShuffleKey late = CoreFixture.shuffle(4);
    ShuffleServer stopping = ShuffleServer.start(onDisk());
    CompletableFuture<Void> stopped;
    try (SocketClient client = new SocketClient(stopping.port())) {
      client.push(SHUFFLE, BLOCKS);
      stopped = CompletableFuture.runAsync(stopping::close);
      client.awaitGoodbye();
      client.push(late, BLOCKS);
      assertThat(client.fetch(SHUFFLE, 1, 10)).containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
    stopped.get(60, TimeUnit.SECONDS);
    try (ShuffleServer server = ShuffleServer.start(onDisk());
        SocketClient client = new SocketClient(server.port())) {
      assertThat(client.fetch(late, 1, 10)).containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
  }

  @Test
  void stopsAlthoughAClientStays() {
    Map<String, String> hasty = Map.of("server.stop.flush-timeout", "1s");
    ShuffleServer server = ShuffleServer.start(config(hasty));
    try (SocketClient client = new SocketClient(server.port())) {
      server.close();
      client.awaitEnd();
    }
  }

  @Test
  void showsMetricsAndHealth() throws Exception {
    try (ShuffleServer server = ShuffleServer.start(onDisk())) {
      coordinator.hello();
      while (!server.admitted()) {
        coordinator.reports.take();
      }
      assertThat(get(server, "/health/live").statusCode()).isEqualTo(200);
      assertThat(get(server, "/health/ready").statusCode()).isEqualTo(200);
      assertThat(get(server, "/metrics").body())
          .contains("sluice_server_pushed_bytes_total 0.0")
          .contains("sluice_server_admitted 1.0")
          .contains("sluice_server_arena_capacity_bytes")
          .contains("sluice_server_disk_healthy{disk=")
          .contains("sluice_server_disk_slow{disk=")
          .contains("jvm_memory_used_bytes");
    }
  }

  @Test
  void isNotReadyWithoutACoordinator() throws Exception {
    ServerConfig config = config(Map.of());
    coordinator.close();
    try (ShuffleServer server = ShuffleServer.start(config)) {
      assertThat(get(server, "/health/ready").statusCode()).isEqualTo(503);
      assertThat(get(server, "/health/live").statusCode()).isEqualTo(200);
      assertThat(get(server, "/metrics").body()).contains("sluice_server_admitted 0.0");
    }
  }

  @Test
  void namesWhatStandsInItsWay() {
    ServerConfig config = onDisk();
    ShuffleServer first = ShuffleServer.start(config);
    try {
      assertThatThrownBy(() -> ShuffleServer.start(config))
          .hasMessageContaining(directory.toString());
    } finally {
      first.close();
    }
    assertThatThrownBy(() -> ShuffleServer.start(config(Map.of("server.memory", "600m"))))
        .hasMessageContaining("INVALID_CONFIGURATION")
        .hasMessageContaining("leaves nothing for data");
  }

  @Test
  void namesTheSettingWhosePortIsInUse() {
    try (ShuffleServer first = ShuffleServer.start(config(Map.of()))) {
      Map.of("server.port", first.port(), "server.http.port", first.httpPort())
          .forEach(
              (setting, port) ->
                  assertThatThrownBy(() -> ShuffleServer.start(config(Map.of(setting, "" + port))))
                      .hasMessageContaining(setting + ": ")
                      .hasMessageContaining(":" + port + ": the port is in use")
                      .isInstanceOfSatisfying(
                          SluiceException.class,
                          e -> assertThat(e.code()).isEqualTo(ErrorCode.ADDRESS_IN_USE)));
    }
  }

  @Test
  void saysWhichModuleIsMissingForARemoteTier() {
    ServerConfig config = config(Map.of("server.hdfs.root", "hdfs://localhost:1/sluice"));

    assertThatThrownBy(() -> ShuffleServer.start(config))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("hdfs://localhost:1/sluice")
        .hasMessageContaining("sluice-tier-hdfs");
  }

  @Test
  void goesOnWithoutADiskThatDoesNotWorkAndTakesItInWhenItDoes() throws Exception {
    Path bad = directory.resolve("bad");
    ServerConfig both = config(Map.of("server.data-dirs", bad + "," + directory.resolve("good")));
    ServerIdentity before;
    try (ShuffleServer server =
            ShuffleServer.start(config(Map.of("server.data-dirs", bad.toString())));
        SocketClient client = new SocketClient(server.port())) {
      before = server.identity();
      client.push(SHUFFLE, BLOCKS);
    }
    ShuffleServer.start(both).close();
    // A file system gone wrong: nothing can be locked there.
    Files.delete(bad.resolve("lock"));
    Files.createDirectory(bad.resolve("lock"));

    try (ShuffleServer server = ShuffleServer.start(both);
        SocketClient client = new SocketClient(server.port())) {
      assertThat(server.identity().id()).isEqualTo(before.id());
      assertThat(get(server, "/metrics").body())
          .contains("sluice_server_disk_healthy{disk=\"" + bad + "\"} 0.0");
      assertThatThrownBy(() -> client.fetch(SHUFFLE, before.incarnation(), 10))
          .as("never empty")
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_INCARNATION));

      Files.delete(bad.resolve("lock"));
      awaitSecondHello(server.identity());
      assertThat(client.fetch(SHUFFLE, before.incarnation(), 10))
          .containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
  }

  /** A server says hello when it starts, and again when it has taken in a disk. */
  private void awaitSecondHello(ServerIdentity life) throws InterruptedException {
    int seen = 0;
    while (seen < 2) {
      ServerAddress from = coordinator.hello().getHello().getAddress();
      boolean same =
          from.getId().equals(uuid(life.id())) && from.getIncarnation() == life.incarnation();
      seen += same ? 1 : 0;
    }
  }

  private static Uuid uuid(ServerId id) {
    return Uuid.newBuilder().setHigh(id.high()).setLow(id.low()).build();
  }

  @Test
  void doesNotStartWhereNoDiskWorksAndSaysWhy() throws IOException {
    Path disk = Files.createDirectories(directory.resolve("disk"));
    Files.createDirectory(disk.resolve("lock"));

    assertThatThrownBy(() -> ShuffleServer.start(onDisk()))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FAILED))
        .hasMessageContaining(disk + "/lock: Is a directory");
  }

  @Test
  void startsWithoutARemoteTierThatDoesNotAnswerAndTakesItInWhenItDoes() throws Exception {
    Path remote = Files.createDirectory(directory.resolve("remote"));
    Map<String, String> settings = new HashMap<>();
    settings.put("server.hdfs.root", FolderTier.SCHEME + "://" + remote);
    try (ShuffleServer server = ShuffleServer.start(config(settings));
        SocketClient client = new SocketClient(server.port())) {
      client.push(SHUFFLE, BLOCKS);
    }
    Path away = Files.move(remote, directory.resolve("away"));
    assertThatThrownBy(() -> ShuffleServer.start(config(settings)))
        .as("there is nothing else")
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FAILED));
    settings.put("server.data-dirs", directory.resolve("disk").toString());

    try (ShuffleServer server = ShuffleServer.start(config(settings));
        SocketClient client = new SocketClient(server.port())) {
      client.push(CoreFixture.shuffle(4), BLOCKS);
      assertThat(get(server, "/metrics").body())
          .contains("sluice_server_disk_healthy{disk=\"" + settings.get("server.hdfs.root"));

      Files.move(away, remote);
      awaitSecondHello(server.identity());
      assertThat(client.fetch(SHUFFLE, 1, 10)).containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
  }

  private static HttpResponse<String> get(ShuffleServer server, String page)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://localhost:" + server.httpPort() + page))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
