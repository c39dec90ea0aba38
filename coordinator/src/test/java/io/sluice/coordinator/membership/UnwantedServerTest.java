package io.sluice.coordinator.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Servers that operators want empty, and those without a disk that works. */
class UnwantedServerTest extends MembershipFixture {
  @Test
  void drainsOnAnOperatorsWordAndComesBack() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);

    membership.decommission(Servers.id(1), true);
    membership.decommission(Servers.id(1), true);
    scheduler.advance(6, TimeUnit.SECONDS);
    report(membership, channel, Intent.SERVE, false);
    membership.decommission(Servers.id(1), false);

    assertThat(changes)
        .containsExactly("1 ACTIVE", "1 DRAINING", "1 SUSPECT", "1 DRAINING", "1 ACTIVE");
    assertThat(channel.sent())
        .containsExactly(WELCOME, new Directive.Drain(true), new Directive.Drain(false));
  }

  @Test
  void tellsEveryLifeOfADecommissionedServerToDrain() {
    Membership membership = membership();
    membership.decommission(Servers.id(1), true);

    RecordingChannel first = join(membership, 1);
    RecordingChannel second = join(membership, 2);

    assertThat(first.sent()).containsExactly(WELCOME, new Directive.Drain(true));
    assertThat(second.sent()).containsExactly(WELCOME, new Directive.Drain(true));
    assertThat(changes).containsExactly("1 DRAINING", "1 LOST", "2 DRAINING");
  }

  @Test
  void tellsAServerThatMissedThatItIsToStay() {
    Membership membership = membership();
    RecordingChannel channel = new RecordingChannel();
    membership.hello(Servers.hello(1, 1), channel, WELCOME, DirectiveFeed.NONE);
    report(membership, channel, Intent.DRAIN, true);

    assertThat(channel.sent()).containsExactly(WELCOME, new Directive.Drain(false));
    assertThat(changes).containsExactly("1 ACTIVE");
  }

  @Test
  void isDrainedOnlyWhenItTakesNothingAndHoldsNothing() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);
    membership.decommission(Servers.id(1), true);

    assertThat(membership.views()).noneMatch(ServerView::drained); // it has not heard of it
    membership.report(Servers.id(1), channel, new ServerReport(holding(1), Intent.DRAIN), false);
    assertThat(membership.views()).noneMatch(ServerView::drained);
    membership.report(Servers.id(1), channel, new ServerReport(holding(0), Intent.DRAIN), false);

    assertThat(membership.views()).allMatch(ServerView::drained);
    assertThat(changes).containsExactly("1 ACTIVE", "1 DRAINING", "1 DRAINING");
  }

  @Test
  void isUnhealthyWhileNoDiskOfItWorks() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);

    disks(membership, channel, true, false);
    disks(membership, channel, false, false);
    disks(membership, channel, false, false);
    assertThat(membership.countByState()).containsEntry(ServerState.UNHEALTHY, 1);
    scheduler.advance(6, TimeUnit.SECONDS);
    disks(membership, channel, false, false);
    disks(membership, channel, false, true);

    assertThat(changes)
        .containsExactly("1 ACTIVE", "1 UNHEALTHY", "1 SUSPECT", "1 UNHEALTHY", "1 ACTIVE");
  }

  @Test
  void operatorsWishesGoBeforeDisks() {
    Membership membership = membership();
    RecordingChannel channel = join(membership, 1);

    membership.decommission(Servers.id(1), true);
    disks(membership, channel, false);
    membership.decommission(Servers.id(1), false);

    assertThat(changes).containsExactly("1 ACTIVE", "1 DRAINING", "1 UNHEALTHY");
  }

  @Test
  void aSuspectStaysOneWhateverOperatorsWant() {
    Membership membership = membership();
    join(membership, 1);
    scheduler.advance(6, TimeUnit.SECONDS);

    membership.decommission(Servers.id(1), true);

    assertThat(changes).containsExactly("1 ACTIVE", "1 SUSPECT");
  }

  private static void disks(Membership membership, RecordingChannel channel, boolean... healthy) {
    ServerLoad load = Servers.withDisks(1 << 20, healthy);
    membership.report(Servers.id(1), channel, new ServerReport(load, Intent.SERVE), false);
  }

  private static ServerLoad holding(long partitions) {
    return new ServerLoad(
        new ServerLoad.Memory(9, 9), List.of(), new ServerLoad.Traffic(0, partitions, 0, 0, 0));
  }
}
