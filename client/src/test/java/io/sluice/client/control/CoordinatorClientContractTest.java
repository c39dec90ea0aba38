package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.ShufflePlacement;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.time.Clock;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeldShuffle;
import io.sluice.proto.control.v1.RemoveShuffleRequest;
import io.sluice.proto.control.v1.UnregisterApplicationRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client against coordinators that answer as they are told, over loopback. */
class CoordinatorClientContractTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  private static final ShuffleKey SHUFFLE = new ShuffleKey(APPLICATION, 5, 0);
  private static final HostPort NOBODY = new HostPort("127.0.0.1", 1);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private FakeCoordinator coordinator() {
    FakeCoordinator fake = new FakeCoordinator();
    opened.add(fake);
    return fake;
  }

  private CoordinatorClient client(HostPort... coordinators) {
    return client(Duration.ofSeconds(20), coordinators);
  }

  private CoordinatorClient client(Duration deadline, HostPort... coordinators) {
    return client(
        new CoordinatorClientConfig(Arrays.asList(coordinators), deadline, Duration.ofSeconds(5)));
  }

  private CoordinatorClient client(CoordinatorClientConfig config) {
    CoordinatorClient client = CoordinatorClient.open(config);
    opened.add(client);
    return client;
  }

  private static RegisteredApplication register(CoordinatorClient client) {
    return client.registerApplication(
        new Registration(APPLICATION, "app-1", "ada", "spark", "0.1"));
  }

  private static <T> T next(LinkedBlockingQueue<? super T> queue, Class<T> type)
      throws InterruptedException {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      // Heartbeats come all the time.
      Object next = queue.poll(deadline - Clock.system().nanoTime(), TimeUnit.NANOSECONDS);
      assertThat(next).as("a " + type.getSimpleName()).isNotNull();
      if (type.isInstance(next)) {
        return type.cast(next);
      }
    }
  }

  @Test
  void registersAndPlacesAShuffle() {
    FakeCoordinator leader = coordinator();

    RegisteredApplication application = register(client(leader.address()));
    ShufflePlacement placement = application.createShuffle(SHUFFLE, 10, 0, List.of());

    assertThat(leader.registrations).hasSize(1);
    assertThat(leader.registrations.get(0).getEngineId()).isEqualTo("app-1");
    assertThat(placement.shuffle()).isEqualTo(SHUFFLE);
    assertThat(placement.partitions()).isEqualTo(10);
    assertThat(placement.servers()).hasSize(2);
    assertThat(placement.servers().get(placement.server(0, 3, 0)).host()).isEqualTo("server-1");
  }

  @Test
  void followsTheLeaderThatAFollowerNames() {
    FakeCoordinator leader = coordinator();
    FakeCoordinator follower = coordinator();
    follower.refusal = FakeCoordinator.notLeader(leader.address().toString());

    register(client(follower.address()));

    assertThat(leader.registrations).hasSize(1);
  }

  @Test
  void triesTheNextWhenOneDoesNotAnswer() {
    FakeCoordinator leader = coordinator();
    FakeCoordinator lost = coordinator();
    lost.refusal = FakeCoordinator.notLeader("");

    register(client(NOBODY, lost.address(), leader.address()));

    assertThat(leader.registrations).hasSize(1);
  }

  @Test
  void comesBackToAFollowerThatHasBecomeLeader() {
    FakeCoordinator only = coordinator();
    only.refusals.set(5);
    only.refusal = FakeCoordinator.notLeader("");

    register(client(only.address()));

    assertThat(only.registrations).hasSize(1);
  }

  @Test
  void namesTheAddressesTriedWhenNobodyAnswers() {
    CoordinatorClient client = client(Duration.ofMillis(500), NOBODY);

    SluiceException failure = catchThrowableOfType(SluiceException.class, () -> register(client));

    assertThat(failure.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    assertThat(failure).hasMessageContaining("127.0.0.1:1");
  }

  @Test
  void neverWaitsForARemoval() {
    FakeCoordinator mute = coordinator();
    mute.answersRemovals = false;
    RegisteredApplication application = register(client(mute.address()));

    // Returns at once, although the answer never comes.
    application.removeShuffle(SHUFFLE);
    application.close();

    assertThat(mute.calls).anyMatch(UnregisterApplicationRequest.class::isInstance);
  }

  @Test
  void passesARefusalOnWithItsCode() {
    FakeCoordinator leader = coordinator();
    RegisteredApplication application = register(client(leader.address()));
    leader.refusal = FakeCoordinator.error(ErrorCode.QUOTA_EXCEEDED, "3 shuffles too many");

    SluiceException failure =
        catchThrowableOfType(
            SluiceException.class, () -> application.createShuffle(SHUFFLE, 1, 0, List.of()));

    assertThat(failure.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
    assertThat(failure.detail()).isEqualTo("3 shuffles too many");
  }

  @Test
  void waitsForServersThatHaveYetToRegister() {
    FakeCoordinator leader = coordinator();
    FakeCoordinator other = coordinator();
    other.refusal = FakeCoordinator.notLeader(leader.address().toString());
    RegisteredApplication application = register(client(leader.address(), other.address()));
    leader.refused = CreateShuffleRequest.class;
    leader.refusals.set(3);
    leader.refusal = FakeCoordinator.error(ErrorCode.NO_SERVERS, "none of 0 has room");

    assertThat(application.createShuffle(SHUFFLE, 4, 0, List.of()).partitions()).isEqualTo(4);
    assertThat(other.calls).as("the leader is asked again, nobody else").isEmpty();
  }

  @Test
  void passesOnAtItsDeadlineThatThereAreNoServers() {
    FakeCoordinator leader = coordinator();
    // Long enough for two answers on a machine that is busy with other things.
    RegisteredApplication application = register(client(Duration.ofSeconds(3), leader.address()));
    leader.refused = CreateShuffleRequest.class;
    leader.refusal = FakeCoordinator.error(ErrorCode.NO_SERVERS, "none of 3 has room");

    SluiceException failure =
        catchThrowableOfType(
            SluiceException.class, () -> application.createShuffle(SHUFFLE, 1, 0, List.of()));

    assertThat(failure.code()).isEqualTo(ErrorCode.NO_SERVERS);
    assertThat(failure.detail()).isEqualTo("none of 3 has room");
    assertThat(leader.calls.stream().filter(CreateShuffleRequest.class::isInstance))
        .as("attempts")
        .hasSizeGreaterThan(1);
  }

  @Test
  void sendsHeartbeatsAndRegistersAgainWhenForgotten() throws InterruptedException {
    FakeCoordinator leader = coordinator();
    register(client(leader.address()));
    next(leader.calls, HeartbeatApplicationRequest.class);

    leader.calls.clear();
    leader.knowsApplication = false;

    // Only a registration makes the fake know the application, and so accept a heartbeat, again.
    next(leader.calls, HeartbeatApplicationRequest.class);
    assertThat(leader.registrations).hasSizeGreaterThanOrEqualTo(2);
    assertThat(leader.registrations.get(0).getAgain()).isFalse();
    assertThat(leader.registrations.get(1).getAgain()).isTrue();
  }

  @Test
  void tellsEachNewLeaderOnceWhichShufflesItHas() throws InterruptedException {
    FakeCoordinator leader = coordinator();
    RegisteredApplication application = register(client(leader.address()));
    application.createShuffle(SHUFFLE, 10, 0, List.of());
    ShuffleKey gone = new ShuffleKey(APPLICATION, 6, 1);
    application.createShuffle(gone, 3, 0, List.of());
    application.removeShuffle(gone);
    HeartbeatApplicationRequest before = next(leader.calls, HeartbeatApplicationRequest.class);
    assertThat(before.getShufflesList()).as("to the leader that placed them").isEmpty();

    leader.term = 2;

    HeartbeatApplicationRequest told = next(leader.calls, HeartbeatApplicationRequest.class);
    while (told.getShufflesCount() == 0) {
      told = next(leader.calls, HeartbeatApplicationRequest.class);
    }
    assertThat(told.getShufflesList())
        .containsExactly(
            HeldShuffle.newBuilder()
                .setShuffleId(SHUFFLE.shuffleId())
                .setGeneration(SHUFFLE.generation())
                .setCopies(10)
                .build());
    assertThat(next(leader.calls, HeartbeatApplicationRequest.class).getShufflesList()).isEmpty();
  }

  @Test
  void registersWithWhatItWantsOfServers() {
    FakeCoordinator leader = coordinator();
    client(leader.address())
        .registerApplication(
            new Registration(APPLICATION, "app-1", "ada", "spark", "0.1")
                .withWishes(
                    new PlacementWishes(
                            Optional.of(PlacementStyle.ZONE_LOCAL), List.of("nvme"), "a")
                        .withGrpc(true)));

    assertThat(leader.registrations.get(0).getPlacement())
        .isEqualTo(
            io.sluice.proto.control.v1.PlacementWishes.newBuilder()
                .setStyle(io.sluice.proto.control.v1.PlacementStyle.ZONE_LOCAL)
                .addTags("nvme")
                .setZone("a")
                .setGrpc(true)
                .build());
  }

  @Test
  void removesAgainWhatWasRemovedWhileANewLeaderWasToldOfIt() throws InterruptedException {
    FakeCoordinator leader = coordinator();
    RegisteredApplication application = register(client(leader.address()));
    application.createShuffle(SHUFFLE, 10, 0, List.of());
    leader.keepsTelling = true;
    leader.term = 2;
    HeartbeatApplicationRequest told = next(leader.calls, HeartbeatApplicationRequest.class);
    while (told.getShufflesCount() == 0) {
      told = next(leader.calls, HeartbeatApplicationRequest.class);
    }

    application.removeShuffle(SHUFFLE);
    assertThat(next(leader.calls, RemoveShuffleRequest.class).getShuffle().getShuffleId())
        .isEqualTo(SHUFFLE.shuffleId());
    leader.answerTelling();

    assertThat(next(leader.calls, RemoveShuffleRequest.class).getShuffle().getShuffleId())
        .as("the leader may have heard of it after it was told to forget it")
        .isEqualTo(SHUFFLE.shuffleId());
  }

  private RegisteredApplication registerWithTags(FakeCoordinator leader) {
    return client(leader.address())
        .registerApplication(
            new Registration(APPLICATION, "app-1", "ada", "spark", "0.1")
                .withWishes(new PlacementWishes(Optional.empty(), List.of("nvme"), "")));
  }

  private static void assertTagsAreNotKnown(RegisteredApplication application) {
    SluiceException failure =
        catchThrowableOfType(
            SluiceException.class, () -> application.createShuffle(SHUFFLE, 4, 0, List.of()));
    assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
    assertThat(failure.detail()).contains("[nvme]").contains("upgrade the coordinators");
  }

  @Test
  void takesNoPlacementOfALeaderThatDoesNotKnowTheTagsAskedFor() throws InterruptedException {
    FakeCoordinator leader = coordinator();
    leader.version = 0;
    RegisteredApplication application = registerWithTags(leader);
    leader.calls.clear();

    assertTagsAreNotKnown(application);
    assertThat(leader.calls).noneMatch(CreateShuffleRequest.class::isInstance);

    // One that does leads now, and is told of them before it is asked to place.
    leader.version = 2;
    leader.registrations.clear();
    assertThat(application.createShuffle(SHUFFLE, 4, 0, List.of()).partitions()).isEqualTo(4);
    assertThat(leader.registrations).singleElement().matches(one -> one.hasPlacement());
  }

  @Test
  void givesBackAPlacementOfAnEarlierLeaderThatDidNotKnowTheTags() throws InterruptedException {
    FakeCoordinator leader = coordinator();
    RegisteredApplication application = registerWithTags(leader);
    leader.version = 0;

    assertTagsAreNotKnown(application);

    assertThat(next(leader.calls, RemoveShuffleRequest.class).getShuffle().getShuffleId())
        .isEqualTo(SHUFFLE.shuffleId());
  }

  @Test
  void registersAgainBeforePlacingWhenForgotten() {
    FakeCoordinator leader = coordinator();
    RegisteredApplication application = register(client(leader.address()));
    leader.knowsApplication = false;

    assertThat(application.createShuffle(SHUFFLE, 4, 0, List.of()).partitions()).isEqualTo(4);
  }

  @Test
  void removesAShuffleInTheBackground() throws InterruptedException {
    FakeCoordinator leader = coordinator();
    RegisteredApplication application = register(client(leader.address()));

    application.removeShuffle(SHUFFLE);

    assertThat(next(leader.calls, RemoveShuffleRequest.class).getShuffle().getShuffleId())
        .isEqualTo(5);
  }

  @Test
  void failsWhatWaitsWhenClosed() throws Exception {
    CoordinatorClient client = client(NOBODY);
    LinkedBlockingQueue<ErrorCode> codes = new LinkedBlockingQueue<>();
    Thread waits =
        new Thread(
            () ->
                codes.add(
                    catchThrowableOfType(SluiceException.class, () -> register(client)).code()));
    waits.start();

    client.close();

    assertThat(codes.poll(20, TimeUnit.SECONDS)).isEqualTo(ErrorCode.SHUTTING_DOWN);
    waits.join();
  }

  @Test
  void reportsAnInterruptedWaitAsCancelled() {
    CoordinatorClient client = client(NOBODY);
    Thread.currentThread().interrupt();

    SluiceException failure = catchThrowableOfType(SluiceException.class, () -> register(client));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(failure.code()).isEqualTo(ErrorCode.CANCELLED);
  }

  /** Its driver has gone elsewhere, and nobody would ever remove it. */
  @Test
  void removesWhatIsPlacedForACallerThatWasInterrupted() throws Exception {
    FakeCoordinator leader = coordinator();
    RegisteredApplication application = register(patient(leader));

    interruptWhilePlacing(
        leader, () -> application.createOwnShuffle(SHUFFLE, 4, 0, List.of(), PATIENCE));

    assertThat(next(leader.calls, RemoveShuffleRequest.class).getShuffle().getShuffleId())
        .isEqualTo(SHUFFLE.shuffleId());
  }

  /** Such as the tasks of a MapReduce job: the others write to it. */
  @Test
  void leavesAloneWhatIsPlacedForSeveralOfWhomOneWasInterrupted() throws Exception {
    FakeCoordinator leader = coordinator();
    RegisteredApplication application = register(patient(leader));

    interruptWhilePlacing(leader, () -> application.createShuffle(SHUFFLE, 4, 0, List.of()));

    ShuffleKey other = new ShuffleKey(SHUFFLE.application(), SHUFFLE.shuffleId() + 1, 0);
    // Answered after the first, which has done by then what it does.
    application.createShuffle(other, 4, 0, List.of());
    application.removeShuffle(other);
    assertThat(next(leader.calls, RemoveShuffleRequest.class).getShuffle().getShuffleId())
        .as("the first to be removed")
        .isEqualTo(other.shuffleId());
  }

  /** No attempt is given up for a machine that is busy. */
  private CoordinatorClient patient(FakeCoordinator leader) {
    return client(
        new CoordinatorClientConfig(List.of(leader.address()), PATIENCE, Duration.ofMinutes(1)));
  }

  private void interruptWhilePlacing(FakeCoordinator leader, ThrowingCallable placing)
      throws Exception {
    leader.keepsPlacing = true;
    LinkedBlockingQueue<ErrorCode> codes = new LinkedBlockingQueue<>();
    Thread caller =
        new Thread(() -> codes.add(catchThrowableOfType(SluiceException.class, placing).code()));
    caller.start();
    next(leader.calls, CreateShuffleRequest.class);
    caller.interrupt();
    assertThat(codes.poll(20, TimeUnit.SECONDS)).isEqualTo(ErrorCode.CANCELLED);
    leader.keepsPlacing = false;
    leader.answerPlacing();
    caller.join();
  }
}
