package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a leader has decided while the store was away is in the store when it is back. */
class KeptAtLastTest extends ClusterFixture {
  private void storeIsBack() {
    store.setFailing(false);
    scheduler.advance(WantedState.RETRY_NANOS, TimeUnit.NANOSECONDS);
  }

  @Test
  void thatAServerIsLost() {
    server(1);
    store.setFailing(true);
    scheduler.advance(31, TimeUnit.SECONDS);
    assertThat(Objects.requireNonNull(store.servers().get(Servers.id(1))).lost()).isFalse();

    storeIsBack();

    assertThat(Objects.requireNonNull(store.servers().get(Servers.id(1))).lost()).isTrue();
    RecordingChannel zombie = new RecordingChannel();
    cluster(nextTerm()).openSession(Servers.hello(1, 1), Servers.report(1), zombie);
    assertThat(zombie.sent()).containsExactly(new Directive.Fence(1));
  }

  @Test
  void onlyTheLatestOfAServer() {
    server(1);
    store.setFailing(true);
    ServerSession second = open(new RecordingChannel(), Servers.hello(1, 2), 1, Intent.SERVE);
    second.report(Servers.report(1, Intent.STOP));
    scheduler.runTasks();
    int before = store.writes();

    storeIsBack();

    assertThat(store.writes()).isEqualTo(before + 1);
    assertThat(store.servers().get(Servers.id(1)))
        .satisfies(record -> assertThat(record.address().incarnation()).isEqualTo(2))
        .satisfies(record -> assertThat(record.stopping()).isTrue());
    scheduler.advance(1, TimeUnit.MINUTES);
    assertThat(store.servers()).hasSize(1);
  }

  @Test
  void anEndIsAnsweredWhenItIsKept() {
    register();
    store.setHolding(true);
    CompletableFuture<Void> ended = cluster.unregister(APPLICATION).toCompletableFuture();
    scheduler.runTasks();
    assertThat(ended).isNotDone();

    store.release();
    scheduler.runTasks();

    assertThat(ended).isCompleted();
    assertThat(store.applications()).isEmpty();
  }

  @Test
  void anEndThatCouldNotBeKeptIsRefusedAndKeptLater() {
    register();
    store.setFailing(true);
    CompletableFuture<Void> ended = cluster.unregister(APPLICATION).toCompletableFuture();
    scheduler.runTasks();
    assertThat(ended)
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE));

    storeIsBack();

    assertThat(store.applications()).isEmpty();
  }

  @Test
  void aRegistrationAfterAnEndThatWasNotKeptStays() {
    register();
    store.setFailing(true);
    cluster.unregister(APPLICATION);
    scheduler.runTasks();
    store.setFailing(false);

    register();
    scheduler.advance(1, TimeUnit.MINUTES);

    assertThat(store.applications()).containsKey(APPLICATION);
  }

  @Test
  void aRegistrationIsNotAnsweredBeforeTheFirstOneIsKept() {
    store.setHolding(true);
    CompletableFuture<Void> first = cluster.register(record()).toCompletableFuture();
    CompletableFuture<Void> second = cluster.register(record()).toCompletableFuture();
    scheduler.runTasks();
    assertThat(second).isNotDone();

    store.release();
    scheduler.runTasks();

    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(store.applications()).containsKey(APPLICATION);
  }

  @Test
  void aRegistrationThatWasRefusedIsNotInTheStoreLater() {
    store.setFailing(true);
    CompletableFuture<Void> refused = cluster.register(record()).toCompletableFuture();
    scheduler.runTasks();
    assertThat(refused).isCompletedExceptionally();

    storeIsBack();

    assertThat(store.applications()).isEmpty();
    assertThat(cluster.application(APPLICATION)).isNull();
  }

  @Test
  void whatAnApplicationWithShufflesSaysAnewIsKeptLater() {
    server(1);
    register();
    create(4, Set.of());
    store.setFailing(true);
    CompletableFuture<Void> renewed = cluster.register(record().asReturned()).toCompletableFuture();
    scheduler.runTasks();
    assertThat(renewed).isCompletedExceptionally();

    storeIsBack();

    assertThat(Objects.requireNonNull(store.applications().get(APPLICATION)).returned()).isTrue();
  }

  @Test
  void nothingIsTriedAgainOnceTheTermIsOver() {
    server(1);
    store.setFailing(true);
    scheduler.advance(31, TimeUnit.SECONDS);
    cluster.close(new SluiceException(ErrorCode.NOT_LEADER, "over"));
    int before = store.writes();

    storeIsBack();

    assertThat(store.writes()).isEqualTo(before);
    assertThat(scheduler.pending()).isZero();
  }
}
