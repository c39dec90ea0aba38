package io.sluice.coordinator.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two servers with ids of their own at one address. */
class AddressTwinsTest {
  private static final Directive.Welcome WELCOME = new Directive.Welcome(1, 1000);
  private static final SilenceLimits LIMITS =
      new SilenceLimits(
          TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(30), TimeUnit.MINUTES.toNanos(2));

  private final ManualScheduler scheduler = new ManualScheduler();
  private final MembershipListener listener =
      new MembershipListener() {
        @Override
        public void changed(ServerView server) {}

        @Override
        public void forgotten(ServerView server) {}
      };
  private final Membership membership = membership();

  private Membership membership(ServerRecord... known) {
    return new Membership(
        scheduler, LIMITS, new Term(1, List.of(), List.of(known), Set.of()), listener);
  }

  private static ServerHello at(long number, String host, int port, int grpcPort) {
    return new ServerHello(
        new ServerAddress(Servers.id(number), 1, 1, host, port, grpcPort),
        "test",
        List.of(),
        "",
        false);
  }

  private RecordingChannel join(long number, String host, int port, int grpcPort) {
    RecordingChannel channel = new RecordingChannel();
    ServerHello hello = at(number, host, port, grpcPort);
    if (membership.hello(hello, channel, WELCOME, DirectiveFeed.NONE)) {
      report(number, channel, Intent.SERVE, true);
    }
    return channel;
  }

  private void report(long number, RecordingChannel channel, Intent intent, boolean first) {
    assertThat(
            membership.report(Servers.id(number), channel, Servers.report(1 << 20, intent), first))
        .isTrue();
  }

  private void laterReport(RecordingChannel channel) {
    scheduler.advance(1, TimeUnit.SECONDS);
    report(1, channel, Intent.SERVE, false);
  }

  @Test
  void refusesTheSecondForGoodOnceTheFirstHasSpokenAgain() {
    RecordingChannel first = join(1, "localhost", 7410, 0);

    assertThat(join(2, "localhost", 7410, 0).end()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
    assertThat(join(2, "localhost", 7410, 0).end()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
    laterReport(first);
    RecordingChannel refused = join(2, "localhost", 7410, 0);

    assertThat(refused.end()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    assertThat(refused.reason())
        .contains("address localhost:7410 is in use by server " + Servers.id(1))
        .contains("server " + Servers.id(2) + " is not admitted")
        .contains("server.host, server.advertised-port");
    assertThat(refused.sent()).isEmpty();
    assertThat(membership.views())
        .singleElement()
        .extracting(server -> server.address().id())
        .isEqualTo(Servers.id(1));
    laterReport(first);
  }

  @ParameterizedTest
  @CsvSource({"Host, 1, 2", "host, 3, 1", "host, 2, 0", "host, 9, 2"})
  void sharesAnAddressIfEitherPortIsOneOfTheOthers(String host, int port, int grpcPort) {
    join(1, "host", 1, 2);

    assertThat(join(2, host, port, grpcPort).end()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
  }

  @ParameterizedTest
  @CsvSource({"other, 1, 0", "host, 2, 0", "host, 2, 3"})
  void sharesNoneOtherwise(String host, int port, int grpcPort) {
    join(1, "host", 1, 0);

    assertThat(join(2, host, port, grpcPort).sent()).containsExactly(WELCOME);
  }

  @Test
  void admitsAtOnceWhoComesBackWithBlankDisks() {
    RecordingChannel first = join(1, "host", 1, 2);

    membership.disconnected(Servers.id(1), first);

    assertThat(join(2, "host", 1, 2).sent()).containsExactly(WELCOME);
  }

  @Test
  void keepsAReplacedMachineWaitingOnlyUntilTheOldOneCountsAsSilent() {
    join(1, "host", 1, 2);

    // Its machine is gone, the connection not yet.
    for (int i = 0; i < 5; i++) {
      assertThat(join(2, "host", 1, 2).end()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
      scheduler.advance(1, TimeUnit.SECONDS);
    }

    assertThat(join(2, "host", 1, 2).sent()).containsExactly(WELCOME);
  }

  @Test
  void doesNotRefuseForGoodForOneThatStops() {
    RecordingChannel first = join(1, "host", 1, 2);
    assertThat(join(2, "host", 1, 2).end()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
    scheduler.advance(1, TimeUnit.SECONDS);
    report(1, first, Intent.STOP, false);

    assertThat(join(2, "host", 1, 2).end()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
    membership.disconnected(Servers.id(1), first);
    assertThat(join(2, "host", 1, 2).sent()).containsExactly(WELCOME);
  }

  @Test
  void takesAnExcuseAfterAStallOfItsOwnForNoSignOfLife() {
    join(1, "host", 1, 2);
    assertThat(join(2, "host", 1, 2).end()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
    scheduler.stall(7, TimeUnit.SECONDS);
    scheduler.advance(0, TimeUnit.SECONDS);

    assertThat(join(2, "host", 1, 2).end()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
    scheduler.advance(5, TimeUnit.SECONDS);
    assertThat(join(2, "host", 1, 2).sent()).containsExactly(WELCOME);
  }

  @Test
  void asksNoServerThatIsOnlyRemembered() {
    Membership next = membership(new ServerRecord(at(1, "host", 1, 2).address(), 0, false));
    RecordingChannel channel = new RecordingChannel();

    assertThat(next.hello(at(2, "host", 1, 2), channel, WELCOME, DirectiveFeed.NONE)).isTrue();
  }

  @Test
  void letsAServerMoveAwayAndAnotherTakeItsPlace() {
    RecordingChannel first = join(1, "host", 1, 2);
    membership.disconnected(Servers.id(1), first);
    join(1, "elsewhere", 1, 2);

    assertThat(join(2, "host", 1, 2).sent()).containsExactly(WELCOME);
  }
}
