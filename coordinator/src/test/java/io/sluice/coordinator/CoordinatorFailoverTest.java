package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.zookeeper.ZooKeeperEnsemble;
import io.sluice.coordinator.zookeeper.ZooKeeperSettings;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.CreateShuffleResponse;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.error.ErrorTrailer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restarts and changes of leader, with the real client on the other side. */
class CoordinatorFailoverTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 1);

  private final List<AutoCloseable> opened = new ArrayList<>();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path directory;

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private <T extends AutoCloseable> T owned(T resource) {
    opened.add(resource);
    return resource;
  }

  private ManagedChannel connect(Coordinator coordinator) {
    ManagedChannel channel = TestCoordinators.connect(coordinator);
    opened.add(() -> channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS));
    return channel;
  }

  private CoordinatorClient client(Coordinator... coordinators) {
    return owned(
        CoordinatorClient.open(
            CoordinatorClientConfig.of(
                List.of(coordinators).stream().map(Coordinator::address).toList())));
  }

  private static Registration registration() {
    return new Registration(APPLICATION, "app-1", "ada", "spark", "0.1");
  }

  @Test
  void keepsTheApplicationRegistryAcrossARestart() {
    Coordinator first = Coordinator.start(TestCoordinators.config(directory, Map.of()));
    long firstTerm;
    try (CoordinatorClient client = client(first)) {
      client.registerApplication(registration());
      firstTerm = client.getCluster().getTerm();
    } finally {
      first.close();
    }

    Coordinator second = owned(Coordinator.start(TestCoordinators.config(directory, Map.of())));
    GetClusterResponse cluster = client(second).getCluster();

    assertThat(cluster.getTerm()).isGreaterThan(firstTerm);
    assertThat(cluster.getLeader()).isEqualTo(second.address().toString());
    assertThat(cluster.getApplicationsList())
        .singleElement()
        .satisfies(application -> assertThat(application.getEngineId()).isEqualTo("app-1"));
  }

  @Test
  void namesTheSettingWhosePortIsInUse() {
    Coordinator first =
        owned(Coordinator.start(TestCoordinators.config(directory.resolve("1"), Map.of())));
    Map.of("coordinator.port", first.address().port(), "coordinator.http.port", first.httpPort())
        .forEach(
            (setting, port) -> {
              CoordinatorConfig second =
                  TestCoordinators.config(directory.resolve("2"), Map.of(setting, "" + port));
              assertThatThrownBy(() -> Coordinator.start(second))
                  .hasMessageContaining(setting + ": ")
                  .hasMessageContaining(":" + port + ": the port is in use")
                  .isInstanceOfSatisfying(
                      SluiceException.class,
                      e -> assertThat(e.code()).isEqualTo(ErrorCode.ADDRESS_IN_USE));
            });
  }

  @Test
  void survivesTheDeathOfTheLeader() throws Exception {
    TestingServer zooKeeper = owned(new TestingServer());
    Map<String, String> shared =
        Map.of("coordinator.zookeeper.connect", zooKeeper.getConnectString());
    Coordinator one = owned(Coordinator.start(TestCoordinators.config(directory, shared)));
    TestCoordinators.awaitLeader(connect(one));
    Coordinator two = owned(Coordinator.start(TestCoordinators.config(directory, shared)));
    CoordinatorClient client = client(two, one);
    // The follower is asked first, and names the leader.
    RegisteredApplication application = client.registerApplication(registration());
    LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
    application.watchServers(recorder(seen));
    assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("snapshot []");
    long term = client.getCluster().getTerm();

    one.close();
    TestServer server = new TestServer(connectLeader(two)).greet(TestServer.hello(9, 1));

    assertThat(server.nextDirective().getWelcome().getTerm()).isEqualTo(term + 1);
    ShufflePlacement placement =
        application.createShuffle(new ShuffleKey(APPLICATION, 1, 0), 4, 0, List.of());
    assertThat(placement.servers()).extracting("host").containsExactly("server-9");
    assertThat(lastOf(seen)).contains("server-9 ACTIVE");
    application.close();
    assertThat(server.nextDirective().hasRemoveApplication()).isTrue();
  }

  @Test
  void anOrderlyStopLeavesTheElectionBeforeItWaitsForAnybody() throws Exception {
    TestingServer zooKeeper = owned(new TestingServer());
    Map<String, String> shared =
        Map.of("coordinator.zookeeper.connect", zooKeeper.getConnectString());
    Coordinator one = owned(Coordinator.start(TestCoordinators.config(directory, shared)));
    // One that says nothing is waited for, as long as an orderly stop waits for anybody.
    ManagedChannel channel = connectLeader(one);
    ClientCall<GetClusterRequest, GetClusterResponse> silent =
        channel.newCall(ClusterServiceGrpc.getGetClusterMethod(), CallOptions.DEFAULT);
    CompletableFuture<Status> over = new CompletableFuture<>();
    silent.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            over.complete(status);
          }
        },
        new Metadata());
    // An answered call behind it: the silent one has come too.
    TestCoordinators.awaitLeader(channel);
    try (CuratorFramework curator =
        CuratorFrameworkFactory.newClient(
            zooKeeper.getConnectString(), new ExponentialBackoffRetry(100, 3))) {
      curator.start();
      assertThat(curator.getChildren().forPath("/sluice/election")).hasSize(1);

      CompletableFuture<Void> closing = CompletableFuture.runAsync(one::close);

      await("nobody stands", () -> curator.getChildren().forPath("/sluice/election").isEmpty());
      assertThat(over).as("the call that is waited for").isNotDone();
      closing.get(20, TimeUnit.SECONDS);
      assertThat(over).isDone();
    }
  }

  @Test
  void placesNothingOnceAnotherHasBegunATermWhateverItBelieves() throws Exception {
    TestingServer zooKeeper = owned(new TestingServer());
    Coordinator one =
        owned(
            Coordinator.start(
                TestCoordinators.config(
                    directory,
                    Map.of("coordinator.zookeeper.connect", zooKeeper.getConnectString()))));
    ManagedChannel channel = connectLeader(one);
    assertThat(new TestServer(channel).greet(TestServer.hello(9, 1)).nextDirective().hasWelcome())
        .isTrue();
    RegisteredApplication application = client(one).registerApplication(registration());
    long term = place(channel, 1).getTerm();
    assertThat(term).isPositive();

    try (ZooKeeperEnsemble another =
        ZooKeeperEnsemble.open(
            new ZooKeeperSettings(
                zooKeeper.getConnectString(), "/sluice", Duration.ofSeconds(10)))) {
      another.store().beginTerm("another:1").toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
    Throwable refusal = catchThrowable(() -> place(channel, 2));

    assertThat(ErrorTrailer.read(refusal).map(ErrorDetail::getCode))
        .contains(ErrorCode.NOT_LEADER.number());
    // It is elected all the same, and so begins a term after that one.
    TestCoordinators.awaitLeader(channel);
    new TestServer(channel).greet(TestServer.hello(9, 1));
    assertThat(
            application
                .createShuffle(new ShuffleKey(APPLICATION, 3, 0), 4, 0, List.of())
                .partitions())
        .isEqualTo(4);
    assertThat(place(channel, 4).getTerm()).isEqualTo(term + 2);
  }

  /**
   * Whose election node was deleted by hand does not know: another is elected, and both believe
   * that they are. The first to hear of the other's term leaves it at that.
   */
  @Test
  void ofTwoThatWereElectedOneGivesWayForGood() throws Exception {
    TestingServer zooKeeper = owned(new TestingServer());
    Map<String, String> shared =
        Map.of("coordinator.zookeeper.connect", zooKeeper.getConnectString());
    Coordinator one = owned(Coordinator.start(TestCoordinators.config(directory, shared)));
    ManagedChannel first = connectLeader(one);
    client(one).registerApplication(registration());
    new TestServer(first).greet(TestServer.hello(9, 1)).nextDirective();
    try (CuratorFramework curator =
        CuratorFrameworkFactory.newClient(
            zooKeeper.getConnectString(), new ExponentialBackoffRetry(100, 3))) {
      curator.start();
      String election = "/sluice/election";
      String deleted = curator.getChildren().forPath(election).get(0);
      Coordinator two = owned(Coordinator.start(TestCoordinators.config(directory, shared)));
      await("two candidates", () -> curator.getChildren().forPath(election).size() == 2);
      curator.delete().forPath(election + "/" + deleted);
      ManagedChannel second = connectLeader(two);
      new TestServer(second).greet(TestServer.hello(9, 1)).nextDirective();
      long term = place(second, 1).getTerm();

      assertThat(ErrorTrailer.read(catchThrowable(() -> place(first, 2))).map(ErrorDetail::getCode))
          .contains(ErrorCode.NOT_LEADER.number());

      await("the other stands again", () -> curator.getChildren().forPath(election).size() == 2);
      assertThat(place(second, 3).getTerm()).isEqualTo(term);
      assertThat(
              ErrorTrailer.read(catchThrowable(() -> place(first, 4))).map(ErrorDetail::getLeader))
          .contains(two.address().toString());
    }
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.call()) {
      assertThat(deadline - Clock.system().nanoTime()).as("time left for " + what).isPositive();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private static CreateShuffleResponse place(ManagedChannel channel, int shuffle) {
    return ApplicationServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .createShuffle(
            CreateShuffleRequest.newBuilder()
                .setShuffle(
                    ShuffleRef.newBuilder()
                        .setApplication(
                            Uuid.newBuilder().setHigh(APPLICATION.high()).setLow(APPLICATION.low()))
                        .setShuffleId(shuffle))
                .setPartitions(4)
                .build());
  }

  @Test
  void everyMemberAnswersRestAsTheLeaderWould() throws Exception {
    TestingServer zooKeeper = owned(new TestingServer());
    Map<String, String> shared =
        Map.of("coordinator.zookeeper.connect", zooKeeper.getConnectString());
    Coordinator one = owned(Coordinator.start(TestCoordinators.config(directory, shared)));
    TestCoordinators.awaitLeader(connect(one));
    Coordinator two = owned(Coordinator.start(TestCoordinators.config(directory, shared)));
    // Through the follower, which knows by then who leads.
    client(two, one).registerApplication(registration());

    String atLeader = get(one, "/api/v1/applications");
    assertThat(atLeader).contains(APPLICATION.toString());
    assertThat(get(two, "/api/v1/applications")).isEqualTo(atLeader);
    assertThat(get(two, "/api/v1/cluster")).contains("\"leader\":\"" + one.address() + "\"");
    assertThat(get(two, "/")).startsWith("<!doctype html>");
  }

  private static String get(Coordinator coordinator, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + coordinator.httpPort() + path))
                .timeout(Duration.ofSeconds(20))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private ManagedChannel connectLeader(Coordinator coordinator) {
    ManagedChannel channel = connect(coordinator);
    TestCoordinators.awaitLeader(channel);
    return channel;
  }

  private static String lastOf(LinkedBlockingQueue<String> seen) throws InterruptedException {
    // An empty snapshot of the new leader may come before the server's hello.
    String next = seen.poll(20, TimeUnit.SECONDS);
    return "snapshot []".equals(next) ? String.valueOf(seen.poll(20, TimeUnit.SECONDS)) : next + "";
  }

  private static ServerListener recorder(LinkedBlockingQueue<String> seen) {
    return new ServerListener() {
      @Override
      public void snapshot(List<ServerStatus> servers) {
        seen.add("snapshot " + servers.stream().map(this::text).toList());
      }

      @Override
      public void changed(ServerStatus server) {
        seen.add("changed " + text(server));
      }

      private String text(ServerStatus status) {
        return status.server().host() + " " + status.state();
      }
    };
  }
}
