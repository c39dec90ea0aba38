package io.sluice.coordinator.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Servers that are heard, or not, and who speaks for them. */
class MembershipTest extends MembershipFixture {
  @Test
  void staysActiveWhileItReports() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);

    reportFor(membership, channel, 100);

    assertThat(changes).containsExactly("1 ACTIVE");
    assertThat(channel.sent()).containsExactly(WELCOME);
    assertThat(scheduler.pending()).isEqualTo(1);
  }

  @Test
  void becomesSuspectAfterFiveSecondsAndLostAfterThirty() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);

    scheduler.advance(4_999, TimeUnit.MILLISECONDS);
    assertThat(changes).containsExactly("1 ACTIVE");
    scheduler.advance(1, TimeUnit.MILLISECONDS);
    assertThat(changes).containsExactly("1 ACTIVE", "1 SUSPECT");
    scheduler.advance(24_999, TimeUnit.MILLISECONDS);
    assertThat(changes).hasSize(2);
    scheduler.advance(1, TimeUnit.MILLISECONDS);

    assertThat(changes).containsExactly("1 ACTIVE", "1 SUSPECT", "1 LOST");
    assertThat(channel.sent()).endsWith(new Directive.Fence(1));
    assertThat(channel.end()).isEqualTo(ErrorCode.STALE_INCARNATION);
  }

  @Test
  void measuresSilenceFromTheLastReport() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);
    reportFor(membership, channel, 3);

    scheduler.advance(4_999, TimeUnit.MILLISECONDS);
    assertThat(changes).containsExactly("1 ACTIVE");
    scheduler.advance(1, TimeUnit.MILLISECONDS);

    assertThat(changes).endsWith("1 SUSPECT");
  }

  @Test
  void isActiveAgainWhenASuspectSpeaks() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);
    scheduler.advance(20, TimeUnit.SECONDS);

    report(membership, channel, Intent.SERVE, false);
    scheduler.advance(29, TimeUnit.SECONDS);

    assertThat(changes).containsExactly("1 ACTIVE", "1 SUSPECT", "1 ACTIVE", "1 SUSPECT");
  }

  @Test
  void neverAdmitsALostIncarnationAgain() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 3);
    scheduler.advance(31, TimeUnit.SECONDS);

    assertThat(report(membership, channel, Intent.SERVE, false)).isFalse();
    RecordingChannel zombie = join(membership, 3);

    assertThat(zombie.sent()).containsExactly(new Directive.Fence(3));
    assertThat(zombie.end()).isEqualTo(ErrorCode.STALE_INCARNATION);
    RecordingChannel reborn = join(membership, 4);
    assertThat(reborn.sent()).containsExactly(WELCOME);
    assertThat(changes).containsExactly("3 ACTIVE", "3 SUSPECT", "3 LOST", "4 ACTIVE");
    ServerView view = membership.views().get(0);
    assertThat(view.lostIncarnation()).isEqualTo(3);
  }

  @Test
  void countsTheOldLifeAsLostAtOnceWhenANewOneBegins() {
    Membership membership = membership();
    RecordingChannel old = join(membership, 1);

    join(membership, 2);

    assertThat(changes).containsExactly("1 ACTIVE", "1 LOST", "2 ACTIVE");
    assertThat(old.end()).isEqualTo(ErrorCode.CANCELLED);
    assertThat(report(membership, old, Intent.SERVE, false)).isFalse();
  }

  @Test
  void refusesASecondServerWithTheIdOfOneThatLives() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);
    ServerHello copy =
        new ServerHello(
            new ServerAddress(Servers.id(1), 2, "copy", 9000), "test", List.of(), "", false);

    RecordingChannel refused = join(membership, copy);

    assertThat(refused.end()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    assertThat(report(membership, channel, Intent.SERVE, false)).isTrue();
    assertThat(changes).containsExactly("1 ACTIVE");

    // Moved, and not copied: the connection is gone.
    membership.disconnected(Servers.id(1), channel);
    assertThat(join(membership, copy).sent()).contains(WELCOME);
  }

  @Test
  void admitsAServerElsewhereOnceTheOldPlaceIsSilent() {
    Membership membership = membership();
    join(membership, 1);
    scheduler.advance(6, TimeUnit.SECONDS);

    ServerHello moved =
        new ServerHello(
            new ServerAddress(Servers.id(1), 2, "elsewhere", 9000), "test", List.of(), "", false);
    assertThat(join(membership, moved).sent()).contains(WELCOME);
  }

  @Test
  void fencesAnOlderLifeAboveTheNewestKnown() {
    Membership membership = membership();
    join(membership, 7);

    RecordingChannel zombie = join(membership, 5);

    assertThat(zombie.sent()).containsExactly(new Directive.Fence(7));
    assertThat(changes).containsExactly("7 ACTIVE");
  }

  @Test
  void goesOnWithTheSameLifeAfterAReconnect() {
    Membership membership = membership();
    RecordingChannel first = join(membership, 1);
    membership.disconnected(Servers.id(1), first);
    scheduler.advance(3, TimeUnit.SECONDS);

    RecordingChannel second = join(membership, 1);
    // The end of the first is noticed late, and must not detach the second.
    membership.disconnected(Servers.id(1), first);
    membership.directAll(new Directive.RemoveApplication(ApplicationId.of(1, 1)));

    assertThat(changes).containsExactly("1 ACTIVE", "1 ACTIVE");
    assertThat(second.sent())
        .containsExactly(WELCOME, new Directive.RemoveApplication(ApplicationId.of(1, 1)));
  }

  @Test
  void takesItsOwnStallOutOfTheSilence() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);
    reportFor(membership, channel, 1);

    // Stopped for a minute: the server went on reporting, but nobody read.
    scheduler.stall(60, TimeUnit.SECONDS);
    scheduler.advance(0, TimeUnit.SECONDS);
    report(membership, channel, Intent.SERVE, false);
    scheduler.advance(4, TimeUnit.SECONDS);

    assertThat(changes).doesNotContain("1 LOST");
    assertThat(changes).endsWith("1 ACTIVE");
  }

  @Test
  void givesServersOfAnEarlierTermTheWholeSilence() {
    Membership membership =
        membership(
            new ServerRecord(Servers.address(1, 4), 3, false),
            new ServerRecord(Servers.address(2, 9), 9, false));

    assertThat(membership.views())
        .extracting(ServerView::state)
        .containsExactly(ServerState.ACTIVE, ServerState.LOST);
    scheduler.advance(29, TimeUnit.SECONDS);
    assertThat(changes).containsExactly("4 SUSPECT");
    scheduler.advance(1, TimeUnit.SECONDS);
    assertThat(changes).containsExactly("4 SUSPECT", "4 LOST");
  }

  @Test
  void forgetsALostServerInTheEnd() {
    Membership membership = membership();
    join(membership, 1);

    scheduler.advance(Membership.FORGET_AFTER_NANOS, TimeUnit.NANOSECONDS);
    assertThat(membership.views()).hasSize(1);
    scheduler.advance(31, TimeUnit.SECONDS);

    assertThat(membership.views()).isEmpty();
    assertThat(changes).endsWith("1 LOST", "1 forgotten");
    assertThat(scheduler.pending()).isZero();
  }

  @Test
  void keepsDirectivesForAServerThatIsAwayOrSlow() {
    Membership membership = membership();
    RecordingChannel first = join(membership, 1);
    first.setReady(false);
    Directive one = new Directive.RemoveShuffle(shuffle(1));
    Directive two = new Directive.RemoveShuffle(shuffle(2));

    membership.direct(Servers.id(1), one);
    membership.disconnected(Servers.id(1), first);
    membership.direct(Servers.id(1), two);
    RecordingChannel second = join(membership, 1);

    assertThat(first.sent()).containsExactly(WELCOME);
    assertThat(second.sent()).containsExactly(WELCOME, one, two);
  }

  @Test
  void sendsWhatWaitsWhenASlowServerIsReady() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);
    channel.setReady(false);
    Directive directive = new Directive.RemoveShuffle(shuffle(1));
    membership.direct(Servers.id(1), directive);
    assertThat(channel.sent()).containsExactly(WELCOME);

    channel.setReady(true);
    membership.ready(Servers.id(1), channel);

    assertThat(channel.sent()).containsExactly(WELCOME, directive);
  }

  @Test
  void boundsWhatItKeepsForAServer() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);
    channel.setReady(false);
    for (int i = 0; i < DirectiveOutbox.LIMIT + 5; i++) {
      membership.direct(Servers.id(1), new Directive.RemoveShuffle(shuffle(i)));
    }

    channel.setReady(true);
    membership.ready(Servers.id(1), channel);

    assertThat(channel.sent()).hasSize(1 + DirectiveOutbox.LIMIT);
    assertThat(channel.sent()).element(1).isEqualTo(new Directive.RemoveShuffle(shuffle(5)));
    assertThat(membership.droppedDirectives()).isEqualTo(5);
  }

  @Test
  void endsSessionsAndTimersWithTheTerm() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);

    membership.close(new SluiceException(ErrorCode.NOT_LEADER, "over"));
    scheduler.advance(1, TimeUnit.HOURS);

    assertThat(channel.end()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(changes).containsExactly("1 ACTIVE");
    assertThat(report(membership, channel, Intent.SERVE, false)).isFalse();
  }
}
