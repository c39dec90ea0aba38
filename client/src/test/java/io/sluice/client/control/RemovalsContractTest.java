package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.RemoveShuffleRequest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Removals that a coordinator does not take at once, over loopback. */
@Timeout(60)
class RemovalsContractTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);

  @Test
  void areMadeUpForBehindAHeartbeatThatIsAnswered() throws InterruptedException {
    try (FakeCoordinator leader = new FakeCoordinator();
        CoordinatorClient client =
            CoordinatorClient.open(CoordinatorClientConfig.of(List.of(leader.address())))) {
      RegisteredApplication application =
          client.registerApplication(new Registration(APPLICATION, "app-1", "ada", "spark", "0.1"));
      leader.refused = RemoveShuffleRequest.class;
      leader.refusals.set(1);
      // Of what may be answered otherwise later, the one that a call does not wait for itself.
      leader.refusal = FakeCoordinator.error(ErrorCode.UNKNOWN_APPLICATION, "who?");

      application.removeShuffle(new ShuffleKey(APPLICATION, 5, 0));

      assertThat(nextRemoval(leader).getShuffle().getShuffleId()).isEqualTo(5);
      assertThat(nextRemoval(leader).getShuffle().getShuffleId()).isEqualTo(5);
    }
  }

  private static RemoveShuffleRequest nextRemoval(FakeCoordinator leader)
      throws InterruptedException {
    while (true) {
      Object next = leader.calls.poll(20, TimeUnit.SECONDS);
      assertThat(next).as("a removal").isNotNull();
      if (next instanceof RemoveShuffleRequest removal) {
        return removal;
      }
    }
  }
}
