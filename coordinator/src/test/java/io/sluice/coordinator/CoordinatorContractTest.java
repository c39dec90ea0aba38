package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.sluice.common.error.ErrorCode;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.ApplicationUsers;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.Placement;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import io.sluice.proto.control.v1.RemoveShuffleRequest;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerEvent;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerState;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.UnregisterApplicationRequest;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.control.v1.WatchServersRequest;
import io.sluice.proto.error.ErrorTrailer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One real coordinator, ZooKeeper embedded, over loopback. Each test has ids of its own. */
class CoordinatorContractTest {
  @SuppressWarnings("NullAway.Init")
  private static Coordinator coordinator;

  @SuppressWarnings("NullAway.Init")
  private static ManagedChannel channel;

  @BeforeAll
  static void start(@TempDir Path directory) {
    coordinator = Coordinator.start(TestCoordinators.config(directory, Map.of()));
    channel = TestCoordinators.connect(coordinator);
    TestCoordinators.awaitLeader(channel);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    channel.shutdownNow();
    channel.awaitTermination(5, TimeUnit.SECONDS);
    coordinator.close();
  }

  private static ApplicationServiceGrpc.ApplicationServiceBlockingStub driver() {
    return ApplicationServiceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  private static ClusterServiceGrpc.ClusterServiceBlockingStub operator() {
    return ClusterServiceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  private static GetClusterResponse cluster() {
    return operator().getCluster(GetClusterRequest.getDefaultInstance());
  }

  private static Uuid application(long low) {
    return Uuid.newBuilder().setHigh(1).setLow(low).build();
  }

  private static ShuffleRef shuffle(Uuid application, int id) {
    return ShuffleRef.newBuilder().setApplication(application).setShuffleId(id).build();
  }

  private static Uuid registered(long low) {
    Uuid application = application(low);
    driver()
        .registerApplication(
            RegisterApplicationRequest.newBuilder()
                .setApplication(application)
                .setEngineId("app-" + low)
                .setUser("ada")
                .setEngine("spark")
                .build());
    return application;
  }

  private static Placement create(ShuffleRef shuffle, int partitions) {
    return driver()
        .createShuffle(
            CreateShuffleRequest.newBuilder().setShuffle(shuffle).setPartitions(partitions).build())
        .getPlacement();
  }

  private static ErrorCode codeOf(Throwable failure) {
    return ErrorTrailer.read(failure)
        .map(ErrorDetail::getCode)
        .map(ErrorCode::ofNumber)
        .orElseThrow(() -> new AssertionError("not a coded failure", failure));
  }

  @Test
  void registersIdempotentlyAndAnswersWithTheLease() {
    Uuid application = registered(100);
    RegisterApplicationResponse again =
        driver()
            .registerApplication(
                RegisterApplicationRequest.newBuilder().setApplication(application).build());

    assertThat(again.getHeartbeatIntervalMillis()).isEqualTo(10_000);
    assertThat(again.getExpiryMillis()).isEqualTo(300_000);
    assertThat(again.getTerm()).isPositive();
    assertThat(cluster().getApplicationsList())
        .filteredOn(info -> info.getApplication().equals(application))
        .hasSize(1);
  }

  @Test
  void placesAShuffleOnceAndTellsServersWhenItGoes() throws InterruptedException {
    Uuid application = registered(200);
    TestServer one = new TestServer(channel).greet(TestServer.hello(201, 1));
    TestServer two = new TestServer(channel).greet(TestServer.hello(202, 1));
    assertThat(one.nextDirective().getWelcome().getHeartbeatIntervalMillis()).isEqualTo(1_000);
    assertThat(two.nextDirective().hasWelcome()).isTrue();
    ShuffleRef shuffle = shuffle(application, 3);

    Placement placement = create(shuffle, 64);

    assertThat(placement.getReplicas()).isEqualTo(1);
    assertThat(placement.getAssignmentCount()).isEqualTo(64);
    assertThat(placement.getAssignmentList()).allMatch(i -> i < placement.getServersCount());
    assertThat(placement.getServersList()).allMatch(server -> server.getGrpcPort() == 9002);
    assertThat(create(shuffle, 64)).isEqualTo(placement);

    driver().removeShuffle(RemoveShuffleRequest.newBuilder().setShuffle(shuffle).build());
    assertThat(one.nextDirective().getRemoveShuffle()).isEqualTo(shuffle);
    assertThat(two.nextDirective().getRemoveShuffle()).isEqualTo(shuffle);

    driver()
        .unregisterApplication(
            UnregisterApplicationRequest.newBuilder().setApplication(application).build());
    assertThat(one.nextDirective().getRemoveApplication()).isEqualTo(application);
    one.hangUp();
    two.hangUp();
  }

  @Test
  void tellsServersThatAskWhoseApplicationsAre() throws InterruptedException {
    Uuid before = registered(210);
    TestServer server =
        new TestServer(channel)
            .greet(TestServer.hello(210, 1).toBuilder().setWantsUsers(true).build());
    assertThat(server.nextDirective().hasWelcome()).isTrue();
    ApplicationUsers whole = server.nextDirective().getApplicationUsers();
    assertThat(whole.getFirst() && whole.getLast()).isTrue();
    assertThat(whole.getUsersList())
        .singleElement()
        .satisfies(
            user -> {
              assertThat(user.getUser()).isEqualTo("ada");
              assertThat(user.getApplicationsList()).contains(before);
            });

    Uuid after = registered(211);
    ApplicationUsers more = server.nextDirective().getApplicationUsers();
    assertThat(more.getFirst() || more.getLast()).isFalse();
    assertThat(more.getUsers(0).getApplicationsList()).containsExactly(after);

    driver()
        .unregisterApplication(
            UnregisterApplicationRequest.newBuilder().setApplication(after).build());
    assertThat(server.nextDirective().getRemoveApplication()).isEqualTo(after);
    server.hangUp();
  }

  @Test
  void refusesNonsenseWithInvalidArgument() {
    Uuid application = registered(300);
    ShuffleRef shuffle = shuffle(application, 1);
    List<Throwable> failures =
        List.of(
            catchThrowable(() -> create(shuffle, -1)),
            catchThrowable(() -> create(shuffle, 10_000_000)),
            catchThrowable(() -> create(ShuffleRef.getDefaultInstance(), 1)),
            catchThrowable(() -> create(shuffle(application, -4), 1)),
            catchThrowable(() -> driver().createShuffle(CreateShuffleRequest.getDefaultInstance())),
            catchThrowable(
                () ->
                    driver().registerApplication(RegisterApplicationRequest.getDefaultInstance())),
            catchThrowable(
                () ->
                    driver()
                        .registerApplication(
                            RegisterApplicationRequest.newBuilder()
                                .setApplication(application(301))
                                .setUser("u".repeat(10_000))
                                .build())),
            catchThrowable(
                () ->
                    driver()
                        .registerApplication(
                            RegisterApplicationRequest.newBuilder()
                                .setApplication(application(302))
                                .setUser("ada\nWARN all is well")
                                .build())),
            catchThrowable(
                () ->
                    driver()
                        .heartbeatApplication(HeartbeatApplicationRequest.getDefaultInstance())));

    assertThat(failures)
        .extracting(CoordinatorContractTest::codeOf)
        .containsOnly(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void refusesSessionsWithoutAProperHello() throws InterruptedException {
    TestServer mute = new TestServer(channel);
    mute.send(ServerReport.getDefaultInstance());
    TestServer lifeless = new TestServer(channel).greet(TestServer.hello(401, 0));

    assertThat(codeOf(mute.failure())).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(codeOf(lifeless.failure())).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void asksUnknownApplicationsToRegister() {
    HeartbeatApplicationRequest heartbeat =
        HeartbeatApplicationRequest.newBuilder().setApplication(application(500)).build();

    assertThat(codeOf(catchThrowable(() -> driver().heartbeatApplication(heartbeat))))
        .isEqualTo(ErrorCode.UNKNOWN_APPLICATION);
    registered(500);
    assertThat(driver().heartbeatApplication(heartbeat).getTerm()).isPositive();
  }

  @Test
  void streamsASnapshotAndThenChanges() throws InterruptedException {
    Uuid application = registered(600);
    LinkedBlockingQueue<ServerEvents> events = watch(application);
    assertThat(next(events).getSnapshot()).isTrue();

    TestServer server = new TestServer(channel).greet(TestServer.hello(601, 1));
    awaitState(events, 601, 1, ServerState.ACTIVE);
    TestServer reborn = new TestServer(channel).greet(TestServer.hello(601, 2));
    assertThat(awaitState(events, 601, 2, ServerState.ACTIVE).getLostIncarnation()).isEqualTo(1);
    server.hangUp();
    reborn.hangUp();
  }

  @Test
  void saysThatAServerRestartsAndThatNothingOfItIsLost() throws InterruptedException {
    LinkedBlockingQueue<ServerEvents> events = watch(registered(610));
    TestServer server = new TestServer(channel).greet(TestServer.hello(611, 3));
    awaitState(events, 611, 3, ServerState.ACTIVE);

    server.send(
        ServerReport.newBuilder().setLoad(TestServer.load(1 << 30)).setStopping(true).build());
    awaitState(events, 611, 3, ServerState.RESTARTING);
    server.hangUp();
    ServerHello.Builder back = TestServer.hello(611, 4).toBuilder();
    back.getAddressBuilder().setIntactSince(2);
    TestServer reborn = new TestServer(channel).greet(back.build());

    ServerEvent event = awaitState(events, 611, 4, ServerState.ACTIVE);
    assertThat(event.getServer().getIntactSince()).isEqualTo(2);
    assertThat(event.getLostIncarnation()).isZero();
    reborn.hangUp();
  }

  @Test
  void refusesALifeThatIsIntactSinceAfterItself() throws InterruptedException {
    ServerHello.Builder hello = TestServer.hello(612, 3).toBuilder();
    hello.getAddressBuilder().setIntactSince(4);

    TestServer server = new TestServer(channel).greet(hello.build());

    assertThat(codeOf(server.failure())).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void drainsAServerAndSaysWhenItIsEmpty() throws InterruptedException {
    TestServer server = new TestServer(channel).greet(TestServer.hello(621, 1));
    assertThat(server.nextDirective().hasWelcome()).isTrue();
    DrainServerRequest request =
        DrainServerRequest.newBuilder()
            .setServer(TestServer.hello(621, 1).getAddress().getId())
            .setWait(true)
            .setForce(true)
            .build();

    Iterator<DrainProgress> progress = operator().drainServer(request);
    ServerInfo first = progress.next().getServer();
    assertThat(first.getState()).isEqualTo(ServerState.DRAINING);
    assertThat(first.getDrained()).isFalse();
    assertThat(server.nextDirective().getDrain()).isTrue();
    server.send(
        ServerReport.newBuilder().setLoad(TestServer.load(1 << 30)).setDraining(true).build());

    assertThat(progress.next().getServer().getDrained()).isTrue();
    assertThat(progress.hasNext()).isFalse();
    assertThat(cluster().getDecommissionedList()).contains(request.getServer());

    DrainServerRequest undo = request.toBuilder().setUndo(true).build();
    assertThat(operator().drainServer(undo).next().getServer().getState())
        .isEqualTo(ServerState.ACTIVE);
    ServerDirective stays = server.nextDirective();
    assertThat(stays.hasDrain()).isTrue();
    assertThat(stays.getDrain()).isFalse();
    server.hangUp();
  }

  @Test
  void drainsNoServerThatNobodyKnows() {
    DrainServerRequest unknown =
        DrainServerRequest.newBuilder()
            .setServer(TestServer.hello(699, 1).getAddress().getId())
            .build();

    assertThat(codeOf(catchThrowable(() -> operator().drainServer(unknown).next())))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void fencesAnOlderIncarnation() throws InterruptedException {
    TestServer present = new TestServer(channel).greet(TestServer.hello(701, 5));
    ServerDirective welcome = present.nextDirective();
    assertThat(welcome.hasWelcome()).isTrue();
    assertThat(welcome.getLeader().getTerm()).isEqualTo(welcome.getWelcome().getTerm());
    assertThat(welcome.getLeader().hasCluster()).isTrue();

    TestServer zombie = new TestServer(channel).greet(TestServer.hello(701, 4));

    ServerDirective fence = zombie.nextDirective();
    assertThat(fence.getFenceIncarnation()).isEqualTo(5);
    assertThat(fence.getLeader()).as("whose word it is").isEqualTo(welcome.getLeader());
    assertThat(codeOf(zombie.failure())).isEqualTo(ErrorCode.STALE_INCARNATION);
    present.hangUp();
  }

  @Test
  void showsHealthAndMetrics() throws Exception {
    assertThat(get("/health/live").statusCode()).isEqualTo(200);
    assertThat(get("/health/ready").body()).isEqualTo("ok\n");
    assertThat(get("/metrics").body())
        .contains("sluice_coordinator_servers{state=\"active\"}")
        .contains("sluice_coordinator_applications ")
        .as("faults are counted from zero on")
        .containsPattern("calls_total\\{method=\"CreateShuffle\",status=\"DATA_LOSS\"} 0\\.0")
        .containsPattern("calls_total\\{method=\"[A-Za-z]+\",status=\"INTERNAL\"} 0\\.0")
        .contains("jvm_memory_used_bytes");
  }

  private static HttpResponse<String> get(String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + coordinator.httpPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static LinkedBlockingQueue<ServerEvents> watch(Uuid application) {
    LinkedBlockingQueue<ServerEvents> events = new LinkedBlockingQueue<>();
    ApplicationServiceGrpc.newStub(channel)
        .watchServers(
            WatchServersRequest.newBuilder().setApplication(application).build(),
            new StreamObserver<>() {
              @Override
              public void onNext(ServerEvents value) {
                events.add(value);
              }

              @Override
              public void onError(Throwable failure) {}

              @Override
              public void onCompleted() {}
            });
    return events;
  }

  private static ServerEvents next(LinkedBlockingQueue<ServerEvents> events)
      throws InterruptedException {
    ServerEvents next = events.poll(20, TimeUnit.SECONDS);
    assertThat(next).as("server events").isNotNull();
    return next;
  }

  private static ServerEvent awaitState(
      LinkedBlockingQueue<ServerEvents> events, long id, long incarnation, ServerState state)
      throws InterruptedException {
    Optional<ServerEvent> found = Optional.empty();
    while (found.isEmpty()) {
      // Other tests' servers come and go on the same coordinator.
      found =
          next(events).getServersList().stream()
              .filter(
                  event ->
                      event.getServer().getId().getLow() == id
                          && event.getServer().getIncarnation() == incarnation
                          && event.getState() == state)
              .findFirst();
    }
    return found.get();
  }
}
