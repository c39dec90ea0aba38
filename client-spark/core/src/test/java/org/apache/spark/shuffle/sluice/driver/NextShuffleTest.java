package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.Registration;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a driver asks its coordinators for, and when, as Spark registers one shuffle after another.
 */
@Timeout(60)
class NextShuffleTest {
  private static final Duration LONG = Duration.ofSeconds(50);

  private @Nullable PlacingCoordinator coordinator;
  private @Nullable CoordinatedPlacements placements;
  private volatile boolean away;

  @AfterEach
  void close() {
    if (placements != null) {
      placements.close();
    }
    if (coordinator != null) {
      coordinator.close();
    }
  }

  private PlacingCoordinator open(int quota) throws IOException {
    PlacingCoordinator opened = new PlacingCoordinator(quota);
    coordinator = opened;
    placements =
        new CoordinatedPlacements(
            CoordinatorClient.open(
                new CoordinatorClientConfig(List.of(opened.address()), LONG, LONG)),
            new Registration(ApplicationId.of(1, 2), "app-1", "ada", "spark", "0.1"),
            1,
            LONG,
            new Listener(),
            reason -> {});
    return opened;
  }

  private String place(int shuffleId, int partitions) {
    assertThat(placements).isNotNull();
    FixedPlacement placement = placements.place(shuffleId, partitions);
    assertThat(placement.partitions()).isEqualTo(partitions);
    assertThat(placement.shuffle().shuffleId()).isEqualTo(shuffleId);
    return shuffleId + "." + placement.shuffle().generation();
  }

  private void assertAsked(String... calls) throws InterruptedException {
    assertThat(coordinator).isNotNull();
    for (String call : calls) {
      assertThat(coordinator.calls.poll(20, TimeUnit.SECONDS)).isEqualTo(call);
    }
    assertThat(coordinator.calls).isEmpty();
  }

  @Test
  void theNextOneIsThereBeforeItIsRegistered() throws Exception {
    open(1_000);
    assertThat(place(0, 8)).isEqualTo("0.0");
    assertAsked("+0.0:8", "+1.0:8");

    assertThat(place(1, 8)).isEqualTo("1.0");
    assertAsked("+2.0:8");
    assertThat(place(2, 8)).isEqualTo("2.0");
    assertAsked("+3.0:8");
  }

  @Test
  void oneThatIsNotAsWasExpectedIsAskedForAndWhatWasExpectedRemoved() throws Exception {
    PlacingCoordinator asked = open(1_000);
    place(0, 8);
    assertAsked("+0.0:8", "+1.0:8");

    assertThat(place(1, 5)).as("by a key that was never placed").isEqualTo("1.1");
    assertThat(List.of(next(asked), next(asked), next(asked)))
        .containsExactlyInAnyOrder("-1.0", "+1.1:5", "+2.0:5");
    // A shuffle of Spark's own took the number.
    assertThat(place(3, 5)).isEqualTo("3.0");
    assertThat(List.of(next(asked), next(asked), next(asked)))
        .containsExactlyInAnyOrder("-2.0", "+3.0:5", "+4.0:5");
  }

  private static String next(PlacingCoordinator asked) throws InterruptedException {
    String next = asked.calls.poll(20, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  @Test
  void oneOfASinglePartitionDoesNotSayWhatComesNext() throws Exception {
    PlacingCoordinator asked = open(1_000);
    place(0, 1);
    assertAsked("+0.0:1");
    place(1, 8);
    assertAsked("+1.0:8", "+2.0:8");
    place(2, 1);
    assertThat(List.of(next(asked), next(asked), next(asked)))
        .containsExactlyInAnyOrder("-2.0", "+2.1:1", "+3.0:8");

    assertThat(place(3, 8)).isEqualTo("3.0");
  }

  @Test
  void aServerThatIsAwayMeanwhileHasItPlacedAnew() throws Exception {
    PlacingCoordinator asked = open(1_000);
    place(0, 8);
    assertAsked("+0.0:8", "+1.0:8");

    away = true;
    assertThat(place(1, 8)).isEqualTo("1.1");
    assertThat(List.of(next(asked), next(asked), next(asked)))
        .containsExactlyInAnyOrder("-1.0", "+1.1:8", "+2.0:8");
  }

  @Test
  void noKeyIsPlacedTwiceWhenThreadsOvertakeEachOther() throws Exception {
    PlacingCoordinator asked = open(1_000);
    place(5, 8);
    assertAsked("+5.0:8", "+6.0:8");
    assertThat(place(4, 8)).as("registered before, placed later").isEqualTo("4.1");
    assertAsked("+4.1:8");
    assertThat(place(6, 8)).isEqualTo("6.0");
    assertAsked("+7.0:8");
    assertThat(place(9, 8)).isEqualTo("9.0");
    assertThat(List.of(next(asked), next(asked), next(asked)))
        .containsExactlyInAnyOrder("-7.0", "+9.0:8", "+10.0:8");
    assertThat(place(8, 3)).isEqualTo("8.3");
    assertAsked("+8.3:3");
  }

  @Test
  void nothingIsBegunForANumberThatAnotherThreadIsRegistering() {
    NextShuffle next = new NextShuffle();
    assertThat(next.claim(5, 8)).isNull();
    assertThat(next.claim(6, 8)).isNull();
    next.prepare(
        5,
        8,
        (shuffleId, partitions) -> {
          throw new AssertionError("shuffle " + shuffleId + " is placed twice");
        });
  }

  @Test
  void whatNobodyTookDoesNotStandInTheWayOfWhatIsWithinTheQuota() throws Exception {
    PlacingCoordinator asked = open(13);
    place(0, 6);
    assertAsked("+0.0:6", "+1.0:6");
    asked.refuseBeforeRemoving();

    assertThat(place(1, 7)).isEqualTo("1.1");
    assertAsked("!1.1:7", "-1.0", "+1.1:7", "!2.0:7");
  }

  @Test
  void whatIsKeptForALaterOneDoesNotStandInTheWayOfOneThatIsRegisteredNow() throws Exception {
    open(15);
    place(5, 6);
    assertAsked("+5.0:6", "+6.0:6");

    assertThat(place(4, 6)).as("of another query").isEqualTo("4.1");
    assertAsked("!4.1:6", "-6.0", "+4.1:6");
  }

  @Test
  void whatIsGivenBackForItsServersDoesNotStandInTheWay() throws Exception {
    PlacingCoordinator asked = open(13);
    place(0, 6);
    assertAsked("+0.0:6", "+1.0:6");
    asked.refuseBeforeRemoving();

    away = true;
    assertThat(place(1, 6)).isEqualTo("1.1");
    assertAsked("!1.1:6", "-1.0", "+1.1:6", "!2.0:6");
  }

  @Test
  void oneThatTheQuotaDoesNotAllowIsRefusedWhenItIsRegistered() throws Exception {
    open(10);
    place(0, 6);
    assertAsked("+0.0:6", "!1.0:6");

    SluiceException refused = catchThrowableOfType(SluiceException.class, () -> place(1, 6));
    assertThat(refused.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
    assertAsked("!1.1:6");
    assertThat(place(2, 4)).isEqualTo("2.0");
  }

  private final class Listener implements ServerListener {
    @Override
    public void snapshot(List<ServerStatus> servers) {}

    @Override
    public void changed(ServerStatus server) {}

    @Override
    public boolean isAway(PlacedServer server) {
      return away;
    }
  }
}
