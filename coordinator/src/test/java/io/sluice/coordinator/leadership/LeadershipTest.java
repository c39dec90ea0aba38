package io.sluice.coordinator.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ClusterObserver;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.coordinator.membership.SilenceLimits;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.MemoryStateStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeadershipTest {
  private static final ClusterRules RULES =
      new ClusterRules(new SilenceLimits(1, 2, 3), new LeaseTerms(1, 2), 1);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final MemoryStateStore store = new MemoryStateStore();
  private int stoodAgain;
  private final Leadership leadership =
      new Leadership(
          scheduler,
          store,
          () -> stoodAgain++,
          (term, fenced) -> new Cluster(scheduler, RULES, term, fenced, ClusterObserver.none()));

  private String leaderNamed() {
    return catchThrowableOfType(NotLeaderException.class, leadership::cluster).leader();
  }

  @Test
  void leadsOnceTheTermHasBegun() {
    store.setHolding(true);
    leadership.elected("here:1");
    scheduler.runTasks();
    assertThat(leadership.leads()).isFalse();

    store.release();
    scheduler.runTasks();

    assertThat(leadership.cluster().term()).isEqualTo(1);
    assertThat(leadership.leader()).isEqualTo("here:1");
  }

  @Test
  void knowsWhichCoordinatorsAreThere() {
    assertThat(leadership.coordinators()).isEmpty();
    leadership.leaderIs("b:1");
    assertThat(leadership.coordinators()).containsExactly("b:1");
    leadership.candidatesAre(List.of("b:1", "c:1", "a:1"));
    assertThat(leadership.coordinators()).containsExactly("a:1", "b:1", "c:1");
    leadership.candidatesAre(List.of("c:1"));
    assertThat(leadership.coordinators()).as("with whoever leads").containsExactly("b:1", "c:1");
  }

  @Test
  void ignoresATermThatBeginsAfterTheElectionWasLost() {
    store.setHolding(true);
    leadership.elected("here:1");
    leadership.deposed();
    store.release();
    scheduler.runTasks();

    assertThat(leadership.leads()).isFalse();
  }

  @Test
  void leadsALaterTermAfterBeingElectedAgain() {
    leadership.elected("here:1");
    scheduler.runTasks();
    Cluster first = leadership.cluster();
    leadership.deposed();

    leadership.elected("here:1");
    scheduler.runTasks();

    assertThat(leadership.cluster()).isNotSameAs(first);
    assertThat(leadership.cluster().term()).isEqualTo(2);
  }

  @Test
  void triesAgainWhenTheStoreDoesNotAnswer() {
    store.setFailing(true);
    leadership.elected("here:1");
    scheduler.advance(3, TimeUnit.SECONDS);
    assertThat(leadership.leads()).isFalse();

    store.setFailing(false);
    scheduler.advance(1, TimeUnit.SECONDS);

    assertThat(leadership.leads()).isTrue();
  }

  @Test
  void standsAgainWhenSomebodyElseBeganATermAndLeadsOnlyIfItIsElected() {
    leadership.elected("here:1");
    scheduler.runTasks();
    store.beginTerm("there:2");

    store.setFenced(true);
    register();
    scheduler.runTasks();
    assertThat(leadership.leads()).isFalse();
    assertThat(stoodAgain).isEqualTo(1);

    store.setFenced(false);
    scheduler.advance(1, TimeUnit.HOURS);
    assertThat(leadership.leads()).as("without the election's word").isFalse();
    assertThat(store.terms()).isEqualTo(2);

    leadership.deposed();
    leadership.elected("here:1");
    scheduler.runTasks();
    assertThat(leadership.cluster().term()).isEqualTo(3);
    assertThat(leadership.leader()).isEqualTo("here:1");
  }

  @Test
  void sendsCallersToWhoeverBeganThatTerm() {
    leadership.elected("here:1");
    scheduler.runTasks();
    leadership.leaderIs("there:2");
    store.setFenced(true);
    register();
    scheduler.runTasks();

    assertThat(leaderNamed()).isEqualTo("there:2");
  }

  @Test
  void beginsNoTermWhenItHearsThatItLost() {
    leadership.elected("here:1");
    scheduler.runTasks();
    store.setFenced(true);
    register();
    scheduler.runTasks();

    leadership.deposed();
    scheduler.advance(3, TimeUnit.SECONDS);

    assertThat(leadership.leads()).isFalse();
    assertThat(store.terms()).isEqualTo(1);
  }

  private void register() {
    leadership
        .cluster()
        .register(new ApplicationRecord(ApplicationId.of(1, 2), "app", "user", "sim", "0", 0));
  }

  @Test
  void namesTheLeaderItFollows() {
    assertThat(leaderNamed()).isEmpty();

    leadership.leaderIs("there:2");

    assertThat(leaderNamed()).isEqualTo("there:2");
  }

  @Test
  void doesNotSendCallersToItselfWhenItNoLongerLeads() {
    leadership.elected("here:1");
    scheduler.runTasks();
    leadership.leaderIs("here:1");

    leadership.deposed();

    assertThat(leaderNamed()).isEmpty();
    // The old note is still in ZooKeeper.
    leadership.leaderIs("here:1");
    assertThat(leaderNamed()).isEmpty();
  }
}
