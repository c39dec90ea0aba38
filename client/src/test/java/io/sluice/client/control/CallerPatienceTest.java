package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that would not wait for as long as the client does, which here is an hour. */
@Timeout(60)
class CallerPatienceTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  private static final ShuffleKey SHUFFLE = new ShuffleKey(APPLICATION, 5, 0);
  private static final Registration REGISTRATION =
      new Registration(APPLICATION, "app-1", "ada", "spark", "0.1");
  // Long enough for two answers on a machine that is busy with other things.
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final FakeCoordinator leader = new FakeCoordinator();
  private final CoordinatorClient client = client(leader.address());

  @AfterEach
  void close() {
    client.close();
    leader.close();
  }

  private static CoordinatorClient client(HostPort coordinator) {
    return CoordinatorClient.open(
        new CoordinatorClientConfig(
            List.of(coordinator), Duration.ofHours(1), Duration.ofSeconds(5)));
  }

  @Test
  void areToldWhatIsMissingWhenTheirPatienceEnds() {
    RegisteredApplication application = client.registerApplication(REGISTRATION, PATIENCE);
    refuse(CreateShuffleRequest.class);

    assertThat(refusalWithin(application, PATIENCE)).isEqualTo(ErrorCode.NO_SERVERS);
  }

  @Test
  void registeringAgainIsPartOfIt() {
    RegisteredApplication application = client.registerApplication(REGISTRATION, PATIENCE);
    refuse(RegisterApplicationRequest.class);
    leader.knowsApplication = false;

    assertThat(refusalWithin(application, PATIENCE)).isEqualTo(ErrorCode.NO_SERVERS);
  }

  @Test
  void whoHasNoneLeftIsAnsweredAtOnce() {
    RegisteredApplication application = client.registerApplication(REGISTRATION, PATIENCE);

    assertThat(refusalWithin(application, Duration.ofSeconds(-1)))
        .isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    assertThat(application.createOwnShuffle(SHUFFLE, 4, 0, List.of(), PATIENCE).partitions())
        .isEqualTo(4);
  }

  private void refuse(Class<?> calls) {
    leader.refused = calls;
    leader.refusal = FakeCoordinator.error(ErrorCode.NO_SERVERS, "none of 3 has room");
  }

  private static ErrorCode refusalWithin(RegisteredApplication application, Duration patience) {
    return catchThrowableOfType(
            SluiceException.class,
            () -> application.createOwnShuffle(SHUFFLE, 1, 0, List.of(), patience))
        .code();
  }
}
