package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchesTest extends ClusterFixture {
  private final RecordingWatcher watcher = new RecordingWatcher();

  @BeforeEach
  void registers() {
    register();
  }

  private void soon() {
    scheduler.advance(Watches.TRAITS_NANOS, TimeUnit.NANOSECONDS);
  }

  private void states() {
    scheduler.advance(Watches.STATES_NANOS, TimeUnit.NANOSECONDS);
  }

  private List<ServerSession> servers(int count) {
    List<ServerSession> sessions = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      sessions.add(open(new RecordingChannel(), Servers.hello(i, 1), 1 << 30, Intent.SERVE));
    }
    soon();
    return sessions;
  }

  @Test
  void sendsASnapshotThenChanges() {
    server(1);
    cluster.watch(APPLICATION, watcher);
    server(2);
    soon();

    assertThat(watcher.seen).containsExactly("snapshot [host-1 ACTIVE]", "change [host-2 ACTIVE]");
  }

  @Test
  void whatHappensTogetherIsOneMessage() {
    List<ServerSession> sessions = servers(200);
    cluster.watch(APPLICATION, watcher);

    sessions.forEach(session -> session.report(Servers.report(1, Intent.STOP)));
    assertThat(watcher.told).as("the snapshot").hasSize(1);
    states();

    assertThat(watcher.told).hasSize(2);
    assertThat(watcher.told.get(1))
        .hasSize(200)
        .allSatisfy(server -> assertThat(server.state()).isEqualTo(ServerState.RESTARTING));
    soon();
    assertThat(watcher.told).as("nothing twice").hasSize(2);
  }

  @Test
  void ofAServerThatChangesTwiceTheLastIsTold() {
    servers(1);
    cluster.watch(APPLICATION, watcher);

    open(new RecordingChannel(), Servers.hello(1, 2), 1, Intent.SERVE);
    states();

    assertThat(watcher.seen).last().isEqualTo("change [host-1 ACTIVE]");
    ServerView told = watcher.told.get(1).get(0);
    assertThat(told.address().incarnation()).isEqualTo(2);
    assertThat(told.lostIncarnation()).isEqualTo(1);
  }

  @Test
  void aSlowWatcherGetsTogetherWhatItMissed() {
    Watch watch = cluster.watch(APPLICATION, watcher);
    watcher.ready = false;
    for (int i = 1; i <= 50; i++) {
      server(i);
      soon();
    }
    assertThat(watcher.seen).containsExactly("snapshot []");

    watcher.ready = true;
    watch.ready();
    assertThat(watcher.told).hasSize(2);
    assertThat(ids(watcher.told.get(1))).containsExactlyElementsOf(ids(1, 50));

    server(51);
    soon();
    assertThat(watcher.seen).last().isEqualTo("change [host-51 ACTIVE]");
  }

  @Test
  void whoBeginsWhileServersComeGetsASnapshotAndWhatFollows() {
    watcher.ready = false;
    Watch watch = cluster.watch(APPLICATION, watcher);
    servers(3);
    watcher.ready = true;
    watch.ready();

    assertThat(watcher.seen)
        .containsExactly("snapshot [host-1 ACTIVE, host-2 ACTIVE, host-3 ACTIVE]");
  }

  @Test
  void tellsAnEndedWatcherNothing() {
    Watch watch = cluster.watch(APPLICATION, watcher);
    server(1);
    cluster.unwatch(watch);
    soon();
    watch.ready();

    assertThat(watcher.seen).containsExactly("snapshot []");
  }

  @Test
  void whoAsksForItIsToldOfWhatItUsesAndOfSomeOthers() {
    List<ServerSession> sessions = servers(1_000);
    Set<ServerId> used = Set.of(Servers.id(17), Servers.id(500));

    cluster.watch(APPLICATION, used, watcher);

    List<ServerId> told = ids(watcher.told.get(0));
    assertThat(told).containsAll(used).hasSize(used.size() + Candidates.ENOUGH);
    for (int i = 1; i <= 1_000; i++) {
      if (!told.contains(Servers.id(i))) {
        sessions.get(i - 1).report(Servers.report(1, Intent.STOP));
      }
    }
    states();
    soon();
    assertThat(watcher.told).as("of others it hears nothing").hasSize(1);

    sessions.get(499).report(Servers.report(1, Intent.STOP));
    states();
    assertThat(ids(watcher.told.get(1))).containsExactly(Servers.id(500));
  }

  @Test
  void hearsOfTheServersThatAShuffleIsPlacedOn() {
    servers(300);
    cluster.watch(APPLICATION, Set.of(), watcher);
    Placement placement = create(200, Set.of());
    scheduler.runTasks();

    List<ServerId> placedOn = placement.servers().stream().map(s -> s.id()).toList();
    List<ServerId> told = new ArrayList<>(ids(watcher.told.get(0)));
    told.addAll(ids(watcher.told.get(1)));
    assertThat(told).doesNotHaveDuplicates().containsAll(placedOn).hasSizeLessThan(300);
    RecordingWatcher next = new RecordingWatcher();
    cluster.watch(APPLICATION, Set.of(), next);
    assertThat(ids(next.told.get(0))).as("a stream that begins later").containsAll(placedOn);

    cluster.removeShuffle(SHUFFLE);
    RecordingWatcher last = new RecordingWatcher();
    cluster.watch(APPLICATION, Set.of(), last);
    assertThat(ids(last.told.get(0))).as("none is in use").hasSize(Candidates.ENOUGH);
  }

  @Test
  void getsOtherCandidatesForThoseThatAreGone() {
    List<ServerSession> sessions = servers(200);
    cluster.watch(APPLICATION, Set.of(), watcher);
    List<ServerId> first = ids(watcher.told.get(0));
    assertThat(first).hasSize(Candidates.ENOUGH);

    for (ServerId id : first) {
      sessions.get((int) id.low() - 1).report(Servers.report(1, Intent.STOP));
    }
    soon();

    assertThat(watcher.told.stream().skip(1).flatMap(List::stream))
        .filteredOn(server -> server.state() == ServerState.ACTIVE)
        .hasSize(Candidates.ENOUGH)
        .allSatisfy(server -> assertThat(first).doesNotContain(server.address().id()));
  }

  @Test
  void candidatesThatAreMissingAreToldAsTheyCome() {
    cluster.watch(APPLICATION, Set.of(), watcher);
    servers(100);

    assertThat(watcher.seen).startsWith("snapshot []");
    assertThat(watcher.told.stream().flatMap(List::stream)).hasSize(Candidates.ENOUGH);
  }

  @Test
  void applicationsHaveDifferentCandidates() {
    servers(1_000);
    Set<ServerId> all = new HashSet<>();
    KnownServers known = new KnownServers(scheduler.clock(), cluster.servers(), id -> null);
    for (long seed = 0; seed < 100; seed++) {
      Scope scope = new Scope();
      Candidates.Taste taste =
          new Candidates.Taste(PlacementWishes.NONE, "", seed * 0x9E3779B97F4A7C15L);
      assertThat(new Candidates(known).fill(scope, known.all(), taste)).as("short").isFalse();
      assertThat(scope.candidates().cardinality()).isEqualTo(Candidates.ENOUGH);
      all.addAll(ids(known.views(scope.candidates())));
    }
    assertThat(all).as("of 1,000, by a hundred applications").hasSizeGreaterThan(950);
  }

  @Test
  void aServerThatIsForgottenIsGoneFromTheNextSnapshotAndItsNumberIsAnothers() {
    server(1);
    cluster.watch(APPLICATION, watcher);
    scheduler.advance(31, TimeUnit.SECONDS);
    assertThat(watcher.seen).last().isEqualTo("change [host-1 LOST]");
    untilALostOneIsForgotten();

    assertThat(watcher.seen).as("it was told that").last().isEqualTo("change [host-1 LOST]");
    server(2);
    soon();
    assertThat(watcher.seen).last().isEqualTo("change [host-2 ACTIVE]");
    RecordingWatcher next = new RecordingWatcher();
    cluster.watch(APPLICATION, next);
    assertThat(next.seen).containsExactly("snapshot [host-2 ACTIVE]");
  }

  private void untilALostOneIsForgotten() {
    // Renews the lease, which is shorter.
    for (int i = 0; i < 20; i++) {
      cluster.heartbeat(APPLICATION);
      scheduler.advance(4, TimeUnit.MINUTES);
    }
  }

  @Test
  void whoWasOwedThatAServerIsLostIsMadeWholeThoughItsNumberIsAnothers() {
    server(1);
    Watch watch = cluster.watch(APPLICATION, Set.of(Servers.id(1)), watcher);
    assertThat(watcher.seen).containsExactly("snapshot [host-1 ACTIVE]");
    watcher.ready = false;
    untilALostOneIsForgotten();
    server(2);
    soon();

    watcher.ready = true;
    watch.ready();

    assertThat(watcher.seen).last().isEqualTo("snapshot [host-2 ACTIVE]");
    open(new RecordingChannel(), Servers.hello(1, 2), 1, Intent.SERVE);
    soon();
    assertThat(watcher.seen)
        .as("one that it uses is back")
        .last()
        .isEqualTo("change [host-1 ACTIVE]");
  }

  @Test
  void hearsOfAServerThatItUsesAndTheLeaderDidNotKnow() {
    servers(1_000);
    RecordingWatcher other = new RecordingWatcher();
    Set<ServerId> used = Set.of(Servers.id(5_000));
    cluster.watch(APPLICATION, used, watcher);
    Watch ended = cluster.watch(APPLICATION, used, other);
    assertThat(ids(watcher.told.get(0))).doesNotContainAnyElementsOf(used);
    cluster.unwatch(ended);

    server(5_000);
    soon();
    assertThat(watcher.seen).last().isEqualTo("change [host-5000 ACTIVE]");
    assertThat(other.told).hasSize(1);
  }

  @Test
  void usedServersAreNoCandidatesAndFullOrExcludedOnesNoGoodOnes() {
    for (int i = 1; i <= 400; i++) {
      boolean full = i > 70 && i <= 200;
      open(new RecordingChannel(), Servers.hello(i, 1), full ? 0 : 1 << 30, Intent.SERVE);
    }
    for (int i = 201; i <= 300; i++) {
      cluster.exclusions().set(Servers.id(i), true);
    }
    soon();

    cluster.watch(APPLICATION, Set.copyOf(ids(1, 70)), watcher);

    assertThat(ids(watcher.told.get(0)))
        .containsAll(ids(1, 70))
        .hasSize(70 + Candidates.ENOUGH)
        .doesNotContainAnyElementsOf(ids(71, 300));
  }

  @Test
  void wherePartitionsCanGoNowhereElseTheSecondBestAreToldOfUntilThereAreBetter() {
    for (int i = 1; i <= 100; i++) {
      open(new RecordingChannel(), Servers.hello(i, 1), 0, Intent.SERVE);
    }
    soon();
    cluster.watch(APPLICATION, Set.of(), watcher);
    assertThat(watcher.told.get(0)).hasSize(Candidates.ENOUGH);

    for (int i = 101; i <= 103; i++) {
      server(i);
    }
    soon();
    assertThat(ids(watcher.told.get(1))).containsExactlyElementsOf(ids(101, 103));
  }

  @Test
  void candidatesThatFillUpAreReplaced() {
    List<ServerSession> sessions = servers(200);
    cluster.watch(APPLICATION, Set.of(), watcher);
    List<ServerId> first = ids(watcher.told.get(0));
    List<ServerId> second = new ArrayList<>(ids(1, 200));
    second.removeAll(first);
    for (int i = 0; i <= 31; i++) {
      sessions.forEach(session -> session.report(Servers.report(1 << 30)));
      first.forEach(id -> sessions.get((int) id.low() - 1).report(Servers.report(0)));
      scheduler.advance(1, TimeUnit.SECONDS);
    }

    assertThat(watcher.told).hasSize(2);
    assertThat(ids(watcher.told.get(1))).hasSize(Candidates.ENOUGH).isSubsetOf(second);
  }

  private Watcher counter(List<RecordingWatcher> others, List<Integer> served) {
    return new Watcher() {
      @Override
      public boolean isReady() {
        return true;
      }

      @Override
      public void send(boolean snapshot, List<ServerView> servers) {
        if (!snapshot) {
          scheduler.execute(
              () -> served.add((int) others.stream().filter(one -> one.told.size() == 2).count()));
        }
      }

      @Override
      public void end(SluiceException reason) {}
    };
  }

  @Test
  void manyDriversAreServedAFewAtATime() {
    List<ServerSession> sessions = servers(200);
    List<RecordingWatcher> watchers = new ArrayList<>();
    List<Integer> servedBefore = new ArrayList<>();
    // What is handed over while the first is told runs before the last is.
    Watcher first = counter(watchers, servedBefore);
    cluster.watch(APPLICATION, first);
    for (int i = 0; i < 100; i++) {
      watchers.add(new RecordingWatcher());
      cluster.watch(APPLICATION, watchers.get(i));
    }
    sessions.forEach(session -> session.report(Servers.report(1, Intent.STOP)));
    states();

    assertThat(servedBefore).singleElement().satisfies(some -> assertThat(some).isBetween(1, 50));
    assertThat(watchers).allSatisfy(one -> assertThat(one.told).hasSize(2));
  }

  private static List<ServerId> ids(List<ServerView> servers) {
    return servers.stream().map(server -> server.address().id()).toList();
  }

  private static List<ServerId> ids(long from, long to) {
    return LongStream.rangeClosed(from, to).mapToObj(Servers::id).toList();
  }
}
