package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.control.v1.UnregisterApplicationRequest;
import io.sluice.proto.error.ErrorTrailer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An application that an operator ends, against a coordinator over loopback. */
class EndedApplicationTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  private static final ShuffleKey SHUFFLE = new ShuffleKey(APPLICATION, 5, 0);

  private final FakeCoordinator leader = new FakeCoordinator();
  private final CoordinatorClient client =
      CoordinatorClient.open(CoordinatorClientConfig.of(List.of(leader.address())));

  @AfterEach
  void close() {
    client.close();
    leader.close();
  }

  private static RegisteredApplication register(CoordinatorClient client) {
    return client.registerApplication(
        new Registration(APPLICATION, "app-1", "ada", "spark", "0.1"));
  }

  private static final String ENDED = "application was ended by an operator";

  /** From now on the application is unknown, and not let in again. */
  private static void kill(FakeCoordinator leader) {
    leader.refused = RegisterApplicationRequest.class;
    leader.refusal = FakeCoordinator.error(ErrorCode.APPLICATION_ENDED, ENDED);
    leader.knowsApplication = false;
  }

  private static final class Listener implements ServerListener, EndListener {
    private final CompletableFuture<SluiceException> ended = new CompletableFuture<>();
    private final AtomicInteger told = new AtomicInteger();

    @Override
    public void snapshot(List<ServerStatus> servers) {}

    @Override
    public void changed(ServerStatus server) {}

    @Override
    public void ended(SluiceException reason) {
      told.incrementAndGet();
      ended.complete(reason);
    }
  }

  @Test
  void whoWatchesHearsAtOnceThatTheApplicationWasEnded() throws Exception {
    RegisteredApplication application = register(client);
    Listener listener = new Listener();
    application.watchServers(listener);
    application.whenEnded(listener);
    StreamObserver<ServerEvents> stream =
        Objects.requireNonNull(leader.watches.poll(20, TimeUnit.SECONDS));
    kill(leader);
    // Heartbeats are as before: the stream alone tells.
    leader.knowsApplication = true;

    stream.onError(
        ErrorTrailer.toException(
            Status.Code.NOT_FOUND, FakeCoordinator.error(ErrorCode.UNKNOWN_APPLICATION, "ended")));

    SluiceException reason = listener.ended.get(20, TimeUnit.SECONDS);
    assertThat(reason.code()).isEqualTo(ErrorCode.APPLICATION_ENDED);
    assertThat(reason.detail()).isEqualTo(ENDED);
  }

  @Test
  void theHeartbeatTellsToo() throws Exception {
    RegisteredApplication application = register(client);
    Listener listener = new Listener();
    application.watchServers(listener);
    application.whenEnded(listener);
    kill(leader);

    assertThat(listener.ended.get(20, TimeUnit.SECONDS).detail()).isEqualTo(ENDED);
    Listener late = new Listener();
    application.watchServers(late);
    application.whenEnded(late);
    assertThat(late.ended.get(20, TimeUnit.SECONDS).detail()).isEqualTo(ENDED);
    // Both were told on the one thread, and the first before the second began to watch.
    assertThat(listener.told).hasValue(1);
  }

  /** A leader that has lost its registry, or has yet to hear from servers, asks lists again. */
  @Test
  void anApplicationThatAListKeepsOutAsksAgainAndGetsIn() throws Exception {
    RegisteredApplication application = register(client);
    Listener listener = new Listener();
    application.watchServers(listener);
    application.whenEnded(listener);
    leader.refused = RegisterApplicationRequest.class;
    leader.refusal = FakeCoordinator.error(ErrorCode.ACCESS_DENIED, "user 'ada' is denied");
    leader.refusals.set(3);
    leader.knowsApplication = false;

    // The heartbeats' own; the third refusal is the last.
    await(() -> leader.registrations.size() >= 2);

    assertThat(leader.registrations.get(1).getAgain()).isTrue();
    assertThat(listener.told).hasValue(0);
    application.createShuffle(SHUFFLE, 1, 0, List.of());
  }

  private static void await(BooleanSupplier condition) {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(Clock.system().nanoTime()).as("in time").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void anApplicationThatWasEndedAsksForNothingMore() throws Exception {
    RegisteredApplication application = register(client);
    Listener listener = new Listener();
    application.watchServers(listener);
    application.whenEnded(listener);
    kill(leader);
    listener.ended.get(20, TimeUnit.SECONDS);
    leader.calls.clear();

    SluiceException refused =
        catchThrowableOfType(
            SluiceException.class, () -> application.createShuffle(SHUFFLE, 1, 0, List.of()));
    application.close();

    assertThat(refused.code()).isEqualTo(ErrorCode.APPLICATION_ENDED);
    assertThat(refused.detail()).isEqualTo(ENDED);
    assertThat(leader.calls).isEmpty();
    assertThat(listener.told).hasValue(1);
  }

  @Test
  void whoHasClosedItIsToldNothingMore() {
    RegisteredApplication application = register(client);
    Listener listener = new Listener();
    application.whenEnded(listener);
    application.close();
    kill(leader);

    SluiceException refused =
        catchThrowableOfType(
            SluiceException.class, () -> application.createShuffle(SHUFFLE, 1, 0, List.of()));

    assertThat(refused.code()).isEqualTo(ErrorCode.APPLICATION_ENDED);
    // Answered on the thread that would have told, after it.
    client.endedBecause(new Registration(APPLICATION, "app-1", "ada", "spark", "0.1"));
    assertThat(listener.told).hasValue(0);
  }

  @Test
  void whoPlacesAShuffleHearsThatTheApplicationWasEnded() {
    RegisteredApplication application = register(client);
    kill(leader);

    SluiceException refused =
        catchThrowableOfType(
            SluiceException.class, () -> application.createShuffle(SHUFFLE, 1, 0, List.of()));

    assertThat(refused.code()).isEqualTo(ErrorCode.APPLICATION_ENDED);
  }

  /** An election outlasts the few seconds that closing waits. */
  @Test
  void whoCouldNotEndItCanTryAgain() {
    RegisteredApplication application = register(client);
    leader.refused = UnregisterApplicationRequest.class;
    leader.refusal = FakeCoordinator.error(ErrorCode.SHUTTING_DOWN, "no leader yet");
    SluiceException notYet =
        catchThrowableOfType(SluiceException.class, () -> application.end(Duration.ofMillis(300)));
    assertThat(notYet).isNotNull();

    leader.refusal = null;
    leader.calls.clear();
    application.end(Duration.ofSeconds(20));
    assertThat(leader.calls).hasAtLeastOneElementOfType(UnregisterApplicationRequest.class);

    leader.calls.clear();
    application.end();
    application.close();
    assertThat(leader.calls).doesNotHaveAnyElementsOfTypes(UnregisterApplicationRequest.class);
  }

  @Test
  void whoHasRegisteredNothingCanAskWhetherAnApplicationWasEnded() throws Exception {
    Registration registration = new Registration(APPLICATION, "job_1", "ada", "mapreduce", "0.1");

    assertThat(client.endedBecause(registration)).isEmpty();
    assertThat(leader.registrations.get(0).getAgain())
        .as("else one that has ended would be there again")
        .isTrue();

    kill(leader);
    assertThat(client.endedBecause(registration)).map(SluiceException::detail).contains(ENDED);

    leader.refusal = FakeCoordinator.error(ErrorCode.UNKNOWN_APPLICATION, "has ended");
    assertThat(client.endedBecause(registration)).isEmpty();
  }
}
