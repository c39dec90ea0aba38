package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.Verifier;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  void aRenewalThatWasRefusedLeavesTheApplicationAsItWas() {
    ApplicationRecord earlier = record();
    store.putApplication(earlier);
    Cluster next = cluster(nextTerm(earlier));
    RecordingWatcher watcher = new RecordingWatcher();
    next.watch(APPLICATION, Set.of(), watcher);
    store.setFailing(true);
    CompletableFuture<Void> renewed = next.register(earlier.asReturned()).toCompletableFuture();
    CompletableFuture<Void> again = next.register(earlier.asReturned()).toCompletableFuture();
    scheduler.runTasks();
    assertThat(renewed).isCompletedExceptionally();
    assertThat(again).isCompletedExceptionally();
    assertThat(Objects.requireNonNull(next.application(APPLICATION)).application())
        .isEqualTo(earlier);
    assertThat(watcher.end).isNull();

    storeIsBack();
    assertThat(store.applications()).containsExactly(Map.entry(APPLICATION, earlier));

    CompletableFuture<Void> third = next.register(earlier.asReturned()).toCompletableFuture();
    scheduler.runTasks();
    assertThat(third).isCompleted();
    assertThat(Objects.requireNonNull(store.applications().get(APPLICATION)).returned()).isTrue();
  }

  @Test
  void whatWasAnsweredStaysThoughWhatFollowedWasRefused() {
    store.setHolding(true);
    CompletableFuture<Void> first = cluster.register(record()).toCompletableFuture();
    CompletableFuture<Void> second = cluster.register(record().asReturned()).toCompletableFuture();
    store.releaseOne();
    store.setFailing(true);
    store.release();
    store.setHolding(false);
    scheduler.runTasks();
    assertThat(first).isCompleted();
    assertThat(second).isCompletedExceptionally();

    storeIsBack();

    assertThat(store.applications()).containsExactly(Map.entry(APPLICATION, record()));
    assertThat(Objects.requireNonNull(cluster.application(APPLICATION)).application())
        .isEqualTo(record());
  }

  @Test
  void aSecretThatWasRefusedIsNotAskedForLater() {
    store.putApplication(record());
    Cluster next = cluster(nextTerm(record()));
    store.setFailing(true);
    next.register(secret());
    assertThat(next.verifier(APPLICATION)).isEqualTo(secret().verifier());
    scheduler.runTasks();
    assertThat(next.verifier(APPLICATION)).isNull();
    store.setFailing(false);
    next.register(secret());
    scheduler.runTasks();
    assertThat(next.verifier(APPLICATION)).isEqualTo(secret().verifier());
  }

  @Test
  void aNewApplicationThatHasShufflesStaysAndIsKeptLater() {
    server(1);
    store.setHolding(true);
    CompletableFuture<Void> refused = cluster.register(record()).toCompletableFuture();
    create(4, Set.of());
    store.setFailing(true);
    store.release();
    scheduler.runTasks();
    assertThat(refused).isCompletedExceptionally();
    assertThat(cluster.application(APPLICATION)).isNotNull();
    store.setHolding(false);

    storeIsBack();

    assertThat(store.applications()).containsKey(APPLICATION);
  }

  @Test
  void oneIsTriedWhileTheStoreIsAwayAndTheRestOnceItIsBack() {
    WantedState wanted = new WantedState(scheduler);
    AtomicBoolean away = new AtomicBoolean(true);
    Map<Integer, Integer> attempts = new TreeMap<>();
    for (int i = 0; i < 500; i++) {
      int about = i;
      wanted.want(
          about,
          "thing " + about,
          () -> {
            attempts.merge(about, 1, Integer::sum);
            return away.get()
                ? CompletableFuture.failedFuture(
                    new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "away"))
                : CompletableFuture.completedFuture(null);
          });
    }
    scheduler.advance(10, TimeUnit.SECONDS);
    assertThat(attempts.values().stream().mapToInt(n -> n).sum()).isEqualTo(510);
    assertThat(attempts).as("each in turn").doesNotContainValue(3);

    away.set(false);
    scheduler.advance(WantedState.RETRY_NANOS, TimeUnit.NANOSECONDS);
    for (int i = 0; i < 500; i++) {
      assertThat(wanted.isOpen(i)).isFalse();
    }
    assertThat(attempts.values().stream().mapToInt(n -> n).sum()).isEqualTo(1_010);
    assertThat(scheduler.pending()).isZero();
  }

  @Test
  void nothingIsWrittenForATermThatIsOver() {
    WantedState wanted = new WantedState(scheduler);
    wanted.close();
    CompletableFuture<Void> late =
        wanted.want("thing", "a thing", () -> store.putServer(record(1))).toCompletableFuture();
    assertThat(late)
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER));
    assertThat(store.writes()).isZero();
  }

  private static ApplicationRecord secret() {
    return new ApplicationRecord(
        APPLICATION, "app-1", "ada", "spark", "0.1", 42, Verifier.decode(new byte[Verifier.BYTES]));
  }

  private static ServerRecord record(long number) {
    return new ServerRecord(Servers.address(number, 1), 0, false);
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
