package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What was decided about servers that are gone is kept for a while, and not for ever. */
class DepartedTest extends ClusterFixture {
  private void days(long count) {
    scheduler.advance(count, TimeUnit.DAYS);
  }

  /** Lost after half a minute, and forgotten an hour later. */
  private void untilItIsForgotten() {
    scheduler.advance(62, TimeUnit.MINUTES);
    assertThat(cluster.servers()).isEmpty();
  }

  private void decide() {
    server(1);
    cluster.decommissions().set(Servers.id(1), true);
    cluster.exclusions().set(Servers.id(1), true);
    scheduler.runTasks();
    assertThat(cluster.decommissions().all()).containsExactly(Servers.id(1));
    assertThat(cluster.exclusions().all()).containsExactly(Servers.id(1));
  }

  private void assertForgotten(Cluster by) {
    assertThat(by.decommissions().all()).isEmpty();
    assertThat(by.exclusions().all()).isEmpty();
    assertThat(store.decommissioned()).isEmpty();
    assertThat(store.decisions()).isEmpty();
  }

  private Cluster next() {
    cluster.close(new SluiceException(ErrorCode.NOT_LEADER, "over"));
    return cluster(
        new Term(
            5,
            List.of(),
            List.copyOf(store.servers().values()),
            Set.copyOf(store.decommissioned()),
            Map.copyOf(store.decisions())));
  }

  @Test
  void areForgottenWithAServerThatIsGoneForAMonth() {
    decide();
    untilItIsForgotten();
    days(29);
    assertThat(cluster.decommissions().all()).containsExactly(Servers.id(1));
    assertThat(cluster.exclusions().all()).containsExactly(Servers.id(1));

    days(1);

    assertForgotten(cluster);
    assertThat(cluster.events().after(0, 100))
        .anySatisfy(event -> assertThat(event.text()).startsWith("gone for 30 days"));
    assertThat(scheduler.pending()).isZero();
  }

  @Test
  void areInForceForOneThatIsBackBefore() {
    decide();
    untilItIsForgotten();
    days(20);
    ServerSession session = open(new RecordingChannel(), Servers.hello(1, 2), 1, Intent.SERVE);
    assertThat(cluster.servers())
        .singleElement()
        .satisfies(server -> assertThat(server.state()).isEqualTo(ServerState.DRAINING))
        .satisfies(server -> assertThat(server.excluded()).isTrue());
    for (int i = 0; i < 20 * 24 * 60; i++) {
      scheduler.advance(4, TimeUnit.SECONDS);
      session.report(Servers.report(1));
    }
    assertThat(store.decisions()).containsOnlyKeys("excluded/" + Servers.id(1));

    untilItIsForgotten();
    days(29);
    assertThat(cluster.decommissions().all()).as("counted anew").isNotEmpty();
    days(1);
    assertForgotten(cluster);
  }

  @Test
  void areCountedOnByTheNextLeader() {
    decide();
    untilItIsForgotten();
    days(20);
    Cluster next = next();
    days(9);
    assertThat(next.decommissions().all()).isNotEmpty();
    days(1);
    assertForgotten(next);
  }

  @Test
  void fromBeforeAnybodyCountedAreCountedFromNowOn() {
    store.putDecommission(Servers.id(7));
    Cluster next = next();
    days(29);
    assertThat(next.decommissions().all()).containsExactly(Servers.id(7));
    days(1);
    assertForgotten(next);
  }

  @Test
  void ofANoteThatDoesNotSaySinceWhenAreCountedFromNowOn() {
    store.putDecommission(Servers.id(7));
    store.putDecision("departed/" + Servers.id(7), Map.of());
    Cluster next = next();
    days(29);
    assertThat(next.decommissions().all()).containsExactly(Servers.id(7));
    days(1);
    assertForgotten(next);
  }

  @Test
  void areForgottenLaterIfTheStoreIsAwayThen() {
    decide();
    untilItIsForgotten();
    days(29);
    store.setFailing(true);
    days(2);
    assertThat(cluster.decommissions().all()).isNotEmpty();
    store.setFailing(false);
    scheduler.advance(2, TimeUnit.MINUTES);
    assertForgotten(cluster);
  }

  @Test
  void canBeTakenBackThoughTheServerIsGone() {
    decide();
    untilItIsForgotten();
    cluster.decommissions().set(Servers.id(1), false);
    cluster.exclusions().set(Servers.id(1), false);
    days(1);
    assertForgotten(cluster);
  }
}
