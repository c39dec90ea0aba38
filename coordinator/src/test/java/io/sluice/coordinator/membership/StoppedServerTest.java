package io.sluice.coordinator.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Servers that stop and come back, with all they had or without. */
class StoppedServerTest extends MembershipFixture {
  @Test
  void waitsForAServerThatSaidThatItStops() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);
    report(membership, channel, Intent.STOP, false);
    membership.disconnected(Servers.id(1), channel);

    scheduler.advance(119_999, TimeUnit.MILLISECONDS);
    assertThat(changes).containsExactly("1 ACTIVE", "1 RESTARTING");
    scheduler.advance(1, TimeUnit.MILLISECONDS);

    assertThat(changes).containsExactly("1 ACTIVE", "1 RESTARTING", "1 LOST");
  }

  @Test
  void losesNothingWhenALifeThatStoppedComesBackIntact() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, Servers.intact(1, 3, 2));
    report(membership, channel, Intent.STOP, false);
    scheduler.advance(100, TimeUnit.SECONDS);

    RecordingChannel back = join(membership, Servers.intact(1, 4, 2));

    assertThat(changes).containsExactly("3 ACTIVE", "3 RESTARTING", "4 ACTIVE");
    assertThat(membership.views().get(0).lostIncarnation()).isZero();
    assertThat(back.sent()).containsExactly(WELCOME);
    scheduler.advance(5, TimeUnit.SECONDS);
    assertThat(changes).endsWith("4 SUSPECT");
  }

  @Test
  void losesNothingEitherIfItsLastReportWentAstray() {
    Membership membership = membership();
    join(membership, 3);
    scheduler.advance(20, TimeUnit.SECONDS);

    join(membership, Servers.intact(1, 4, 3));

    assertThat(changes).containsExactly("3 ACTIVE", "3 SUSPECT", "4 ACTIVE");
  }

  @Test
  void losesALifeAtOnceThatComesBackWithoutWhatItHad() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 3);
    report(membership, channel, Intent.STOP, false);

    join(membership, 4);

    assertThat(changes).containsExactly("3 ACTIVE", "3 RESTARTING", "3 LOST", "4 ACTIVE");
  }

  /** Its disks may be back with all that was on them. */
  @Test
  void tellsALostServerThatComesBackWhatWasRemovedMeanwhile() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 3);
    channel.setReady(false);
    Directive before = new Directive.RemoveShuffle(shuffle(1));
    membership.direct(Servers.id(1), before);
    membership.direct(Servers.id(1), new Directive.Drain(true));
    report(membership, channel, Intent.STOP_WITH_LOSS, false);
    assertThat(changes).endsWith("3 LOST");

    Directive shuffle = new Directive.RemoveShuffle(shuffle(2));
    membership.direct(Servers.id(1), shuffle);
    membership.direct(Servers.id(1), new Directive.Drain(true));
    // It may have come back by then, and only others would be told.
    membership.directAll(new Directive.RemoveApplication(ApplicationId.of(1, 1)));
    RecordingChannel back = join(membership, 4);

    assertThat(back.sent()).containsExactly(WELCOME, before, shuffle);
  }

  /** The life may have ended before its disks knew. */
  @Test
  void tellsALifeAgainWhatTheOneBeforeWasToldToRemove() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 3);
    Directive one = new Directive.RemoveShuffle(shuffle(1));
    Directive two = new Directive.RemoveShuffle(shuffle(2));
    membership.direct(Servers.id(1), one);
    membership.directAll(new Directive.RemoveApplication(ApplicationId.of(1, 1)));
    membership.direct(Servers.id(1), two);
    membership.disconnected(Servers.id(1), channel);

    RecordingChannel same = join(membership, 3);
    RecordingChannel next = join(membership, 4);
    RecordingChannel nextButOne = join(membership, 5);

    assertThat(same.sent()).containsExactly(WELCOME);
    assertThat(next.sent()).containsExactly(WELCOME, one, two);
    assertThat(nextButOne.sent()).containsExactly(WELCOME, one, two);
  }

  @Test
  void repeatsOnlyTheNewestRemovals() {
    Membership membership = membership();
    join(membership, 3);
    for (int i = 0; i < DirectiveOutbox.REPEATED + 5; i++) {
      membership.direct(Servers.id(1), new Directive.RemoveShuffle(shuffle(i)));
    }

    RecordingChannel next = join(membership, 4);

    assertThat(next.sent()).hasSize(1 + DirectiveOutbox.REPEATED);
    assertThat(next.sent()).element(1).isEqualTo(new Directive.RemoveShuffle(shuffle(5)));
  }

  @Test
  void losesALifeAtOnceThatSaysItselfThatDataIsLost() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 3);
    report(membership, channel, Intent.STOP, false);

    assertThat(report(membership, channel, Intent.STOP_WITH_LOSS, false)).isFalse();

    assertThat(changes).containsExactly("3 ACTIVE", "3 RESTARTING", "3 LOST");
    assertThat(channel.sent()).containsExactly(WELCOME);
    assertThat(channel.end()).isEqualTo(ErrorCode.CANCELLED);
  }

  @Test
  void fencesALifeThatKeepsOneThatWasGivenUp() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 3);
    report(membership, channel, Intent.STOP, false);
    scheduler.advance(2, TimeUnit.MINUTES);

    RecordingChannel late = join(membership, Servers.intact(1, 4, 3));
    RecordingChannel reborn = join(membership, 5);

    assertThat(late.sent()).containsExactly(new Directive.Fence(4));
    assertThat(late.end()).isEqualTo(ErrorCode.STALE_INCARNATION);
    assertThat(reborn.sent()).containsExactly(WELCOME);
    assertThat(changes).containsExactly("3 ACTIVE", "3 RESTARTING", "3 LOST", "5 ACTIVE");
  }

  @Test
  void givesAServerThatStoppedUnderAnEarlierLeaderTheWholeGrace() {
    membership(new ServerRecord(Servers.address(1, 4), 3, true));

    scheduler.advance(119, TimeUnit.SECONDS);
    assertThat(changes).isEmpty();
    scheduler.advance(1, TimeUnit.SECONDS);

    assertThat(changes).containsExactly("4 LOST");
  }
}
