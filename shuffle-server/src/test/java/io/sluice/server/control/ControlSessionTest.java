package io.sluice.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.ApplicationUsers;
import io.sluice.proto.control.v1.ApplicationsReturned;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.UserApplications;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.server.user.KnownUsers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ControlSessionTest extends ControlSessionFixture {
  @Test
  void saysHelloThenReportsAtTheIntervalGiven() {
    start();
    assertThat(latest().to).isEqualTo(A);
    assertThat(latest().sent).hasSize(1);
    assertThat(latest().sent.get(0).hasHello()).isTrue();
    assertThat(session.admitted()).isFalse();
    deliver(welcome(200));
    assertThat(session.admitted()).isTrue();
    world.advance(SECOND);
    assertThat(latest().sent).hasSize(6);
    assertThat(latest().sent.get(5).hasHello()).isFalse();
    assertThat(latest().sent.get(5).getLoad().getConnections()).isEqualTo(9);
  }

  @Test
  void leavesReportsOutWhileTheStreamIsFull() {
    start();
    deliver(welcome(200));
    latest().ready = false;
    world.advance(SECOND);
    assertThat(latest().sent).hasSize(1);
  }

  @Test
  void followsTheLeaderThatACoordinatorNames() {
    start();
    fail(notLeader("c:3"));
    world.advance(SECOND);
    assertThat(latest().to).isEqualTo(C);
    deliver(welcome(1000));
    assertThat(session.admitted()).isTrue();
  }

  @Test
  void asksWhoIsNamedSoonHoweverLongNobodyLed() {
    start();
    for (int i = 0; i < 9; i++) {
      fail(Status.UNAVAILABLE.asRuntimeException());
      world.advance(SECOND);
    }
    fail(notLeader("c:3"));
    world.advance(CoordinatorTurns.MIN_DELAY_MILLIS * 1_000_000);
    assertThat(latest().to).isEqualTo(C);

    // Two that name each other are not asked ten times a second.
    fail(notLeader("b:2"));
    world.advance(CoordinatorTurns.MIN_DELAY_MILLIS * 1_000_000);
    assertThat(latest().to).isEqualTo(C);
    world.advance(SECOND);
    assertThat(latest().to).isEqualTo(B);
  }

  @Test
  void goesOnWithTheListIfTheLeaderNamedIsNoAddress() {
    start();
    fail(notLeader("nonsense"));
    world.advance(SECOND);
    assertThat(latest().to).isEqualTo(B);
  }

  @Test
  void triesAgainIfItCannotEvenSayHello() {
    refusals = 1;
    start();
    world.advance(SECOND);
    assertThat(latest().to).isEqualTo(B);
    assertThat(latest().sent).hasSize(1);
  }

  @Test
  void tellsAtOnceThatSomethingChanged() {
    start();
    deliver(welcome(1000));
    session.changed();
    world.settle();
    assertThat(latest().sent).hasSize(2);
  }

  @Test
  void triesAllCoordinatorsEverSlower() {
    start();
    List<Long> delays = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      fail(Status.UNAVAILABLE.asRuntimeException());
      int before = streams.size();
      long began = world.nanoTime();
      while (streams.size() == before) {
        world.advance(10_000_000L);
      }
      delays.add((world.nanoTime() - began) / 1_000_000);
    }
    assertThat(delays).containsExactly(100L, 200L, 400L, 800L, 1000L, 1000L, 1000L, 1000L, 1000L);
    assertThat(streams.stream().map(stream -> stream.to).toList())
        .startsWith(A, B, A, B)
        .doesNotContain(C);
    deliver(welcome(1000));
    fail(Status.UNAVAILABLE.asRuntimeException());
    int before = streams.size();
    world.advance(100_000_000L);
    assertThat(streams).hasSize(before + 1);
  }

  @Test
  void givesUpOnACoordinatorThatSaysNothing() {
    start();
    FakeStream silent = latest();
    world.advance(11 * SECOND);
    assertThat(silent.cancelled).isTrue();
    assertThat(latest().to).isEqualTo(B);
    silent.listener.directive(welcome(1000));
    world.settle();
    assertThat(session.admitted()).as("by a stream given up").isFalse();
  }

  @Test
  void carriesOutDirectives() {
    start();
    deliver(welcome(1000));
    Uuid application = Uuid.newBuilder().setHigh(1).setLow(2).build();
    deliver(
        ServerDirective.newBuilder()
            .setRemoveShuffle(
                ShuffleRef.newBuilder()
                    .setApplication(application)
                    .setShuffleId(4)
                    .setGeneration(1))
            .build());
    deliver(ServerDirective.newBuilder().setRemoveApplication(application).build());
    deliver(
        ServerDirective.newBuilder()
            .setApplicationsReturned(ApplicationsReturned.newBuilder().addApplications(application))
            .build());
    deliver(ServerDirective.newBuilder().setFenceIncarnation(7).build());
    deliver(ServerDirective.getDefaultInstance());
    ApplicationId id = ApplicationId.of(1, 2);
    assertThat(done)
        .containsExactly(
            "shuffle " + new ShuffleKey(id, 4, 1),
            "application " + id,
            "returned [" + id + "]",
            "fence 7");
  }

  @Test
  void passesOnWhoseApplicationsAre() {
    start();
    deliver(welcome(1000));
    deliver(
        ServerDirective.newBuilder()
            .setApplicationUsers(
                ApplicationUsers.newBuilder()
                    .setFirst(true)
                    .addUsers(user("ada", 1, 2))
                    .addUsers(user("bob", 3))
                    .addUsers(user("", 4)))
            .build());
    deliver(
        ServerDirective.newBuilder()
            .setApplicationUsers(ApplicationUsers.newBuilder().setLast(true))
            .build());
    assertThat(told)
        .containsExactly(
            new KnownUsers(
                true,
                false,
                Map.of(
                    ApplicationId.of(0, 1), "ada",
                    ApplicationId.of(0, 2), "ada",
                    ApplicationId.of(0, 3), "bob")),
            new KnownUsers(false, true, Map.of()));
  }

  @Test
  void comesToRestWhenClosed() {
    start();
    deliver(welcome(100));
    session.close();
    assertThat(latest().cancelled).isTrue();
    int sent = latest().sent.size();
    latest().listener.ended(Status.CANCELLED.asRuntimeException());
    world.advance(60 * SECOND);
    assertThat(streams).hasSize(1);
    assertThat(latest().sent).hasSize(sent);
    assertThat(session.admitted()).isFalse();
  }

  private static UserApplications user(String name, long... applications) {
    UserApplications.Builder user = UserApplications.newBuilder().setUser(name);
    for (long application : applications) {
      user.addApplications(Uuid.newBuilder().setLow(application));
    }
    return user.build();
  }
}
