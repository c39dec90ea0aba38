package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClusterTest extends ClusterFixture {
  @Test
  void welcomesServersWithTermAndInterval() {
    assertThat(server(1).sent()).containsExactly(new Directive.Welcome(4, 1_000));
  }

  @Test
  void answersARegistrationOnlyOnceItIsPersisted() {
    store.setHolding(true);

    CompletableFuture<Void> registration = cluster.register(record()).toCompletableFuture();
    scheduler.runTasks();
    assertThat(registration).isNotDone();
    store.release();
    assertThat(registration).isNotDone();
    scheduler.runTasks();

    assertThat(registration).isCompleted();
    assertThat(store.applications()).containsKey(APPLICATION);
  }

  @Test
  void failsARegistrationThatCannotBePersisted() {
    store.setFailing(true);

    CompletableFuture<Void> registration = cluster.register(record()).toCompletableFuture();
    scheduler.runTasks();

    assertThat(registration).isCompletedExceptionally();
    assertThat(codeOf(() -> cluster.heartbeat(APPLICATION)))
        .isEqualTo(ErrorCode.UNKNOWN_APPLICATION);
  }

  @Test
  void placesOnlyOnActiveServersWithRoomThatAreNotExcluded() {
    register();
    server(1);
    server(2, 0, Intent.SERVE);
    server(3, 1 << 30, Intent.STOP);
    server(4);

    assertThat(create(10, Set.of(Servers.id(4))).servers())
        .extracting(ServerAddress::id)
        .containsExactly(Servers.id(1));
  }

  @Test
  void saysWhyNoServerTakesData() {
    register();
    server(1);
    server(2, 0, Intent.SERVE);
    server(3);
    server(4);
    scheduler.advance(4, TimeUnit.SECONDS);
    server(5, 0, Intent.SERVE);
    server(6);
    scheduler.advance(1, TimeUnit.SECONDS);

    // The first four are suspect by now, 5 is full, 6 excluded.
    SluiceException none =
        catchThrowableOfType(SluiceException.class, () -> create(10, Set.of(Servers.id(6))));

    assertThat(none.code()).isEqualTo(ErrorCode.NO_SERVERS);
    assertThat(none.detail())
        .contains("SUSPECT=4")
        .contains("without room 1")
        .contains("excluded by the caller 1");
  }

  @Test
  void waitsForMostServersOfAnEarlierTermToReport() {
    register();
    server(1);
    server(2);
    server(3);
    Cluster next = cluster(nextTerm(record()));

    assertThat(codeOf(() -> next.createShuffle(SHUFFLE, 1, 0, Set.of())))
        .isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    next.openSession(Servers.hello(1, 1), Servers.report(9), new RecordingChannel());
    assertThat(codeOf(() -> next.createShuffle(SHUFFLE, 1, 0, Set.of())))
        .isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    next.openSession(Servers.hello(2, 1), Servers.report(9), new RecordingChannel());

    assertThat(next.createShuffle(SHUFFLE, 2, 0, Set.of()).servers()).hasSize(2);
  }

  @Test
  void doesNotWaitLongForServersThatStaySilent() {
    register();
    server(1);
    server(2);
    server(3);
    Cluster next = cluster(nextTerm(record()));
    scheduler.advance(4, TimeUnit.SECONDS);
    next.openSession(Servers.hello(1, 1), Servers.report(9), new RecordingChannel());
    scheduler.advance(1, TimeUnit.SECONDS);

    assertThat(next.createShuffle(SHUFFLE, 1, 0, Set.of()).servers()).hasSize(1);
  }

  @Test
  void placesNothingForAnUnknownApplication() {
    server(1);

    assertThat(codeOf(() -> create(1, Set.of()))).isEqualTo(ErrorCode.UNKNOWN_APPLICATION);
  }

  @Test
  void tellsTheServersOfARemovedShuffle() {
    register();
    RecordingChannel one = server(1);
    Placement placement = create(1, Set.of());
    assertThat(placement.servers()).hasSize(1);
    RecordingChannel other = server(2);

    cluster.removeShuffle(SHUFFLE);
    assertThat(one.sent()).endsWith(new Directive.RemoveShuffle(SHUFFLE));
    assertThat(other.sent()).hasSize(1);

    // Now it is unknown, as after a change of leader: all are told.
    cluster.removeShuffle(SHUFFLE);
    assertThat(other.sent()).endsWith(new Directive.RemoveShuffle(SHUFFLE));
  }

  @Test
  void tellsTheServersThatADriverMovedTo() {
    register();
    RecordingChannel one = server(1);
    create(1, Set.of());
    RecordingChannel other = server(2);
    RecordingChannel third = server(3);

    cluster.removeShuffle(SHUFFLE, Set.of(Servers.id(2)));
    assertThat(one.sent()).endsWith(new Directive.RemoveShuffle(SHUFFLE));
    assertThat(other.sent()).endsWith(new Directive.RemoveShuffle(SHUFFLE));
    assertThat(third.sent()).hasSize(1);
  }

  @Test
  void tellsAllServersWhenAnApplicationExpires() {
    register();
    RecordingChannel one = new RecordingChannel();
    ServerSession session = open(one, Servers.hello(1, 1), 1, Intent.SERVE);
    RecordingWatcher watcher = new RecordingWatcher();
    cluster.watch(APPLICATION, watcher);

    reportFor(session, 300);

    assertThat(one.sent()).contains(new Directive.RemoveApplication(APPLICATION));
    assertThat(watcher.end).isEqualTo(ErrorCode.UNKNOWN_APPLICATION);
    assertThat(store.applications()).isEmpty();
    assertThat(counts.expired).isEqualTo(1);
  }

  @Test
  void tellsServersOfAnApplicationThatIsBack() {
    register();
    RecordingChannel there = new RecordingChannel();
    ServerSession session = open(there, Servers.hello(1, 1), 1, Intent.SERVE);
    reportFor(session, 300);

    cluster.register(record().asReturned());
    scheduler.runTasks();
    RecordingChannel later = new RecordingChannel();
    open(later, Servers.hello(2, 1), 1, Intent.SERVE);
    RecordingChannel nextTerms = new RecordingChannel();
    Cluster next = cluster(nextTerm(record().asReturned()));
    next.openSession(Servers.hello(1, 1), Servers.report(1 << 30), nextTerms);

    Directive returned = new Directive.Returned(List.of(APPLICATION));
    assertThat(there.sent()).containsSubsequence(removal(), returned);
    assertThat(later.sent()).contains(returned);
    assertThat(nextTerms.sent()).contains(returned);
  }

  private static Directive removal() {
    return new Directive.RemoveApplication(APPLICATION);
  }

  @Test
  void dropsDataOfApplicationsThatNobodyRegisters() {
    RecordingChannel channel = new RecordingChannel();
    ServerSession session = open(channel, Servers.hello(1, 1, APPLICATION), 1, Intent.SERVE);

    reportFor(session, 299);
    assertThat(channel.sent()).hasSize(1);
    reportFor(session, 1);

    assertThat(channel.sent())
        .filteredOn(Directive.RemoveApplication.class::isInstance)
        .containsExactly(new Directive.RemoveApplication(APPLICATION));
  }

  /** A writer's last block may reach a server that was away when the others were told. */
  @Test
  void dropsDataOfAnUnknownApplicationThatComesLater() {
    RecordingChannel channel = new RecordingChannel();
    ServerSession session = open(channel, Servers.hello(1, 1), 1, Intent.SERVE);
    reportFor(session, 10);

    session.report(holdingOne());
    reportFor(session, 299);
    assertThat(channel.sent()).hasSize(1);
    reportFor(session, 1);

    assertThat(channel.sent()).endsWith(removal());
  }

  @Test
  void dropsDataOfAnApplicationThatIsOverOnceMore() {
    register();
    RecordingChannel channel = new RecordingChannel();
    ServerSession session = open(channel, Servers.hello(1, 1), 1, Intent.SERVE);
    cluster.unregister(APPLICATION);
    scheduler.runTasks();
    assertThat(channel.sent()).endsWith(removal()).hasSize(2);

    session.report(holdingOne());
    assertThat(channel.sent()).endsWith(removal(), removal()).hasSize(3);
    session.report(new ServerReport(Servers.free(1), Intent.SERVE, List.of(use(0))));
    assertThat(channel.sent()).hasSize(3);
  }

  private static ServerReport holdingOne() {
    return new ServerReport(Servers.free(1), Intent.SERVE, List.of(use(1)));
  }

  private static ServerReport.Use use(int partitions) {
    return new ServerReport.Use(APPLICATION, 100L * partitions, partitions);
  }

  @Test
  void remembersLostServersAcrossTerms() {
    server(1);
    scheduler.advance(31, TimeUnit.SECONDS);
    assertThat(store.servers().get(Servers.id(1)))
        .satisfies(record -> assertThat(record.lost()).isTrue());

    Cluster next = cluster(nextTerm());
    RecordingChannel zombie = new RecordingChannel();
    next.openSession(Servers.hello(1, 1), Servers.report(1), zombie);

    assertThat(zombie.sent()).containsExactly(new Directive.Fence(1));
  }

  @Test
  void writesNothingWhenAServerOnlyFallsSilentAndSpeaksAgain() {
    ServerSession session = open(new RecordingChannel(), Servers.hello(1, 1), 1, Intent.SERVE);
    int writes = store.writes();

    scheduler.advance(6, TimeUnit.SECONDS);
    assertThat(counts.servers).containsEntry(ServerState.SUSPECT, 1);
    session.report(Servers.report(1));

    assertThat(counts.servers).containsEntry(ServerState.ACTIVE, 1);
    assertThat(store.writes()).isEqualTo(writes);
  }

  @Test
  void keepsThatAServerStopsForTheNextLeader() {
    ServerSession session = open(new RecordingChannel(), Servers.intact(1, 5, 3), 1, Intent.SERVE);
    session.report(Servers.report(1, Intent.STOP));

    Cluster next = cluster(nextTerm());
    next.openSession(Servers.intact(1, 6, 3), Servers.report(1), new RecordingChannel());

    assertThat(next.servers())
        .singleElement()
        .satisfies(server -> assertThat(server.state()).isEqualTo(ServerState.ACTIVE))
        .satisfies(server -> assertThat(server.address().keeps(3)).isTrue())
        .satisfies(server -> assertThat(server.lostIncarnation()).isZero());
  }

  @Test
  void endsEverythingWithTheTerm() {
    register();
    RecordingChannel channel = server(1);
    RecordingWatcher watcher = new RecordingWatcher();
    cluster.watch(APPLICATION, watcher);

    cluster.close(new SluiceException(ErrorCode.NOT_LEADER, "over"));
    cluster.close(new SluiceException(ErrorCode.NOT_LEADER, "over"));

    assertThat(channel.end()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(watcher.end).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(scheduler.pending()).isZero();
  }
}
