package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.error.ErrorTrailer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
    leader.refusal = FakeCoordinator.error(ErrorCode.ACCESS_DENIED, ENDED);
    leader.knowsApplication = false;
  }

  private static final class Listener implements ServerListener {
    private final CompletableFuture<SluiceException> ended = new CompletableFuture<>();

    @Override
    public void snapshot(List<ServerStatus> servers) {}

    @Override
    public void changed(ServerStatus server) {}

    @Override
    public void ended(SluiceException reason) {
      assertThat(ended.complete(reason)).as("once").isTrue();
    }
  }

  @Test
  void whoWatchesHearsAtOnceThatTheApplicationWasEnded() throws Exception {
    RegisteredApplication application = register(client);
    Listener listener = new Listener();
    application.watchServers(listener);
    StreamObserver<ServerEvents> stream =
        Objects.requireNonNull(leader.watches.poll(20, TimeUnit.SECONDS));
    kill(leader);
    // Heartbeats are as before: the stream alone tells.
    leader.knowsApplication = true;

    stream.onError(
        ErrorTrailer.toException(
            Status.Code.NOT_FOUND, FakeCoordinator.error(ErrorCode.UNKNOWN_APPLICATION, "ended")));

    SluiceException reason = listener.ended.get(20, TimeUnit.SECONDS);
    assertThat(reason.code()).isEqualTo(ErrorCode.ACCESS_DENIED);
    assertThat(reason.detail()).isEqualTo(ENDED);
  }

  @Test
  void theHeartbeatTellsToo() throws Exception {
    RegisteredApplication application = register(client);
    Listener listener = new Listener();
    application.watchServers(listener);
    kill(leader);

    assertThat(listener.ended.get(20, TimeUnit.SECONDS).detail()).isEqualTo(ENDED);
    Listener late = new Listener();
    application.watchServers(late);
    assertThat(late.ended.get(20, TimeUnit.SECONDS).detail()).isEqualTo(ENDED);
  }

  @Test
  void anApplicationThatWasEndedAsksForNothingMore() throws Exception {
    RegisteredApplication application = register(client);
    Listener listener = new Listener();
    application.watchServers(listener);
    kill(leader);
    listener.ended.get(20, TimeUnit.SECONDS);
    leader.calls.clear();

    SluiceException refused =
        catchThrowableOfType(
            SluiceException.class, () -> application.createShuffle(SHUFFLE, 1, 0, List.of()));
    application.close();

    assertThat(refused.code()).isEqualTo(ErrorCode.ACCESS_DENIED);
    assertThat(refused.detail()).isEqualTo(ENDED);
    assertThat(leader.calls).isEmpty();
  }

  @Test
  void whoPlacesAShuffleHearsThatTheApplicationWasEnded() {
    RegisteredApplication application = register(client);
    kill(leader);

    SluiceException refused =
        catchThrowableOfType(
            SluiceException.class, () -> application.createShuffle(SHUFFLE, 1, 0, List.of()));

    assertThat(refused.code()).isEqualTo(ErrorCode.ACCESS_DENIED);
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
