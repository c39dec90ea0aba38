package io.sluice.coordinator.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A leader's servers on a clock that tests move, and what was said of them. */
abstract class MembershipFixture {
  static final Directive.Welcome WELCOME = new Directive.Welcome(1, 1000);
  static final SilenceLimits LIMITS =
      new SilenceLimits(
          TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(30), TimeUnit.MINUTES.toNanos(2));

  final ManualScheduler scheduler = new ManualScheduler();
  final List<String> changes = new ArrayList<>();
  final MembershipListener listener =
      new MembershipListener() {
        @Override
        public void changed(ServerView server) {
          changes.add(server.address().incarnation() + " " + server.state());
        }

        @Override
        public void forgotten(ServerView server) {
          changes.add(server.address().incarnation() + " forgotten");
        }
      };

  Membership membership(ServerRecord... known) {
    return new Membership(
        scheduler, LIMITS, new Term(1, List.of(), List.of(known), Set.of()), listener);
  }

  RecordingChannel join(Membership membership, long incarnation) {
    return join(membership, Servers.hello(1, incarnation));
  }

  static RecordingChannel join(Membership membership, ServerHello hello) {
    RecordingChannel channel = new RecordingChannel();
    if (membership.hello(hello, channel, WELCOME, DirectiveFeed.NONE)) {
      assertThat(report(membership, channel, Intent.SERVE, true)).isTrue();
    }
    return channel;
  }

  static boolean report(
      Membership membership, RecordingChannel channel, Intent intent, boolean first) {
    return membership.report(Servers.id(1), channel, Servers.report(1 << 20, intent), first);
  }

  void reportFor(Membership membership, RecordingChannel channel, int seconds) {
    for (int i = 0; i < seconds; i++) {
      scheduler.advance(1, TimeUnit.SECONDS);
      report(membership, channel, Intent.SERVE, false);
    }
  }

  static ShuffleKey shuffle(int id) {
    return new ShuffleKey(ApplicationId.of(1, 1), id, 0);
  }
}
