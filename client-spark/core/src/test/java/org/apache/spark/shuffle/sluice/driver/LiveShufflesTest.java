package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.sluice.handle.EpochRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LiveShufflesTest {
  private static final int SHUFFLE = 3;
  private static final int PARTITIONS = 6;

  private long now;
  private final ServerBook servers =
      new ServerBook(
          new Clock() {
            @Override
            public long nanoTime() {
              return now;
            }

            @Override
            public long wallTimeMillis() {
              return now / 1_000_000;
            }
          });
  private final LiveShuffles shuffles = new LiveShuffles(servers);

  @BeforeEach
  void placeOneShuffle() {
    servers.snapshot(List.of(status(0, State.ACTIVE), status(1, State.ACTIVE)));
    int[] all = {0, 0, 0, 1, 1, 1};
    shuffles.add(
        FixedPlacement.of(
            new ShuffleKey(ApplicationId.of(1, 1), SHUFFLE, 0),
            PARTITIONS,
            List.of(server(0), server(1)),
            1,
            all));
  }

  @Test
  void makesOneEpochForAllWhoKnowAsFew() {
    EpochRequest request = request(2, Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED));
    FixedPlacement first = shuffles.atLeast(request);
    assertThat(first.epochs()).isEqualTo(2);
    assertThat(serverOf(first, 0)).isEqualTo(server(1));
    assertThat(shuffles.atLeast(request)).isSameAs(first);
  }

  @Test
  void tellsOfServersThatAnEpochNamesFirst() {
    List<List<PlacedServer>> told = new ArrayList<>();
    shuffles.tell(
        (shuffle, added) -> {
          assertThat(shuffle.shuffleId()).isEqualTo(SHUFFLE);
          told.add(List.copyOf(added));
        });
    servers.some(
        List.of(status(0, State.SUSPECT), status(1, State.SUSPECT), status(2, State.ACTIVE)));
    shuffles.leave(SHUFFLE, List.of());
    assertThat(told).containsExactly(List.of(server(2)));

    servers.some(
        List.of(status(0, State.ACTIVE), status(1, State.SUSPECT), status(2, State.SUSPECT)));
    shuffles.leave(SHUFFLE, List.of());
    assertThat(told).as("known from the first epoch").hasSize(1);
  }

  @Test
  void answersReadersWithWhatThereIs() {
    shuffles.atLeast(request(2, Complaint.ofServer(server(0), ErrorCode.TIMED_OUT)));
    assertThat(shuffles.atLeast(request(2)).epochs()).isEqualTo(2);
    assertThatThrownBy(() -> shuffles.atLeast(request(3)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));
  }

  @Test
  void movesWhatASuspectServerHasForWhoOnlyLooks() {
    servers.changed(status(1, State.SUSPECT));
    FixedPlacement now = shuffles.atLeast(request(2));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(serverOf(now, partition)).isEqualTo(server(0));
    }
  }

  @Test
  void movesNothingForWhoOnlyLooksWhileNoCoordinatorIsHeard() {
    servers.unheard();
    assertThatThrownBy(() -> shuffles.atLeast(request(2)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));
    assertThat(Objects.requireNonNull(shuffles.newest(SHUFFLE)).epochs()).isEqualTo(1);
  }

  @Test
  void movesWhatIsOnServersThatAreKnownToBeAwayAtTheSameTime() {
    servers.changed(status(2, State.ACTIVE));
    servers.changed(status(1, State.DRAINING));
    FixedPlacement now =
        shuffles.atLeast(request(2, Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED)));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(serverOf(now, partition)).isEqualTo(server(2));
    }
  }

  @Test
  void saysHowTheServersFareIfNoneTakesAnything() {
    servers.changed(status(0, State.DRAINING));
    servers.changed(status(1, State.DRAINING));
    assertThatThrownBy(
            () -> shuffles.atLeast(request(2, Complaint.ofServer(server(0), ErrorCode.DRAINING))))
        .hasMessageContaining("NO_SERVERS")
        .hasMessageContaining("known are {DRAINING=2}");
  }

  @Test
  void doesNotGoBackToAServerThatWasReportedBeforeAWhile() {
    shuffles.atLeast(request(2, Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED)));
    EpochRequest other = request(3, Complaint.ofServer(server(1), ErrorCode.CONNECT_FAILED));
    assertThatThrownBy(() -> shuffles.atLeast(other))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));
    now += TimeUnit.SECONDS.toNanos(31);
    assertThat(serverOf(shuffles.atLeast(other), 5)).isEqualTo(server(0));
  }

  @Test
  void knowsNothingOfAShuffleThatIsGoneOrOfAnotherGeneration() {
    EpochRequest old = new EpochRequest(SHUFFLE, 1, 1, List.of());
    assertThatThrownBy(() -> shuffles.atLeast(old))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE));
    shuffles.remove(SHUFFLE);
    assertThatThrownBy(() -> shuffles.atLeast(request(1)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE));
  }

  @Test
  void tasksOfAnEarlierGenerationDoNotMoveThisOne() {
    Complaint complaint = Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED);
    EpochRequest zombie = new EpochRequest(SHUFFLE, 1, 2, List.of(complaint));
    assertThatThrownBy(() -> shuffles.atLeast(zombie)).isInstanceOf(SluiceException.class);

    assertThat(Objects.requireNonNull(shuffles.newest(SHUFFLE)).epochs()).isEqualTo(1);
    assertThat(servers.isAway(server(0))).isFalse();
  }

  @Test
  void goesByThePlacementItselfWhileNoCoordinatorWasHeard() {
    LiveShuffles unheard = new LiveShuffles(new ServerBook(Clock.system()));
    unheard.add(Objects.requireNonNull(shuffles.newest(SHUFFLE)));
    FixedPlacement now =
        unheard.atLeast(request(2, Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED)));
    assertThat(serverOf(now, 0)).isEqualTo(server(1));
  }

  private static EpochRequest request(int epochs, Complaint... complaints) {
    return new EpochRequest(SHUFFLE, 0, epochs, List.of(complaints));
  }

  private static PlacedServer serverOf(FixedPlacement placement, int partition) {
    int epoch = placement.epochOf(partition, placement.epochs() - 1);
    return placement.servers().get(placement.server(epoch, partition, 0));
  }

  static ServerStatus status(int number, State state) {
    return new ServerStatus(server(number), state, 1, state == State.LOST ? 1 : 0, 1);
  }

  static PlacedServer server(int number) {
    return new PlacedServer(ServerId.of(9, number), 1, "server-" + number, 7000);
  }
}
