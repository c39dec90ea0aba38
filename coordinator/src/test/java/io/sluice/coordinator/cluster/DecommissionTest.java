package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.leadership.NotLeaderException;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Servers that are to leave: what is kept of that, and who hears of it. */
class DecommissionTest extends ClusterFixture {
  @Test
  void placesNothingOnServersThatAreToLeaveOrStop() {
    register();
    server(1);
    RecordingChannel drained = server(2);
    ServerSession stopping = open(new RecordingChannel(), Servers.hello(3, 1), 1, Intent.SERVE);

    decommission(2, true);
    stopping.report(Servers.report(1, Intent.STOP));

    assertThat(create(4, Set.of()).servers()).containsExactly(Servers.address(1, 1));
    assertThat(drained.sent()).endsWith(new Directive.Drain(true));
    assertThat(counts.servers)
        .containsEntry(ServerState.ACTIVE, 1)
        .containsEntry(ServerState.DRAINING, 1)
        .containsEntry(ServerState.RESTARTING, 1);
  }

  private void decommission(long number, boolean begins) {
    CompletableFuture<Void> kept =
        cluster.decommissions().set(Servers.id(number), begins).toCompletableFuture();
    scheduler.runTasks();
    assertThat(kept).isCompleted();
  }

  @Test
  void keepsADecommissionForTheNextLeaderAndForServersThatAreGone() {
    server(1);
    decommission(1, true);
    scheduler.advance(2, TimeUnit.HOURS);
    assertThat(store.servers()).isEmpty();
    assertThat(store.decommissioned()).containsExactly(Servers.id(1));

    Cluster next = cluster(nextTerm());
    RecordingChannel back = new RecordingChannel();
    next.openSession(Servers.hello(1, 2), Servers.report(1), back);

    assertThat(back.sent()).endsWith(new Directive.Drain(true));
    assertThat(next.servers()).extracting(ServerView::state).containsExactly(ServerState.DRAINING);
  }

  @Test
  void drainsNothingUntilThatIsKept() {
    RecordingChannel channel = server(1);
    store.setHolding(true);

    CompletableFuture<Void> kept =
        cluster.decommissions().set(Servers.id(1), true).toCompletableFuture();
    scheduler.runTasks();
    assertThat(kept).isNotDone();
    assertThat(channel.sent()).hasSize(1);
    store.setFailing(true);
    store.release();
    scheduler.runTasks();

    assertThat(kept).isCompletedExceptionally();
    assertThat(channel.sent()).hasSize(1);
    assertThat(cluster.decommissions().all()).isEmpty();
  }

  @Test
  void saysNothingOfAServerOnceTheTermHasEnded() {
    server(1);
    store.setHolding(true);
    CompletableFuture<Void> kept =
        cluster.decommissions().set(Servers.id(1), true).toCompletableFuture();
    SluiceException reason = new NotLeaderException("");
    cluster.close(reason);
    store.release();
    scheduler.runTasks();

    assertThat(store.decommissioned()).containsExactly(Servers.id(1));
    assertThat(kept).failsWithin(Duration.ZERO).withThrowableThat().withCause(reason);
    assertThat(codeOf(() -> cluster.decommissions().watch(Servers.id(1), new RecordingDrain())))
        .isEqualTo(ErrorCode.NOT_LEADER);
  }

  @Test
  void refusesToDrainWhatNobodyKnowsButTakesAnyDecommissionBack() {
    assertThat(codeOf(() -> cluster.decommissions().set(Servers.id(9), true)))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);

    decommission(9, false);
  }

  @Test
  void refusesToDrainTheLastServerThatTakesData() {
    server(1);
    assertThat(codeOf(() -> cluster.decommissions().drain(Servers.id(1))))
        .isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    server(2);
    decommission(2, true);
    assertThat(codeOf(() -> cluster.decommissions().drain(Servers.id(1))))
        .isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    assertThat(store.decommissioned()).containsExactly(Servers.id(2));

    server(3);
    drain(1);
    drain(1);
    assertThat(store.decommissioned()).containsExactlyInAnyOrder(Servers.id(1), Servers.id(2));
  }

  @Test
  void twoWhoDrainAtOnceDoNotTakeTheLastTwo() {
    server(1);
    server(2);
    store.setHolding(true);
    CompletableFuture<Void> first =
        cluster.decommissions().drain(Servers.id(1)).toCompletableFuture();
    assertThat(codeOf(() -> cluster.decommissions().drain(Servers.id(2))))
        .isEqualTo(ErrorCode.TOO_FEW_SERVERS);

    store.setFailing(true);
    store.release();
    scheduler.runTasks();
    assertThat(first).isCompletedExceptionally();
    store.setFailing(false);
    store.setHolding(false);
    drain(2);
  }

  @Test
  void leavesAsManyServersAsAnyShuffleHasReplicas() {
    register();
    server(1);
    server(2);
    server(3);
    drain(3);
    decommission(3, false);
    cluster.createShuffle(SHUFFLE, 4, 2, Set.of());
    drain(3);

    assertThatThrownBy(() -> cluster.decommissions().drain(Servers.id(2)))
        .hasMessageContaining("TOO_FEW_SERVERS")
        .hasMessageContaining("1 would take data")
        .hasMessageContaining("2 replicas")
        .hasMessageContaining("{ACTIVE=2, DRAINING=1}");
    cluster.removeShuffle(SHUFFLE);
    drain(2);
  }

  @Test
  void aServerThatIsGoneMayBeDrainedWhateverIsLeft() {
    server(1);
    scheduler.advance(1, TimeUnit.MINUTES);
    assertThat(cluster.servers()).extracting(ServerView::state).containsExactly(ServerState.LOST);
    drain(1);
  }

  private void drain(long number) {
    CompletableFuture<Void> kept =
        cluster.decommissions().drain(Servers.id(number)).toCompletableFuture();
    scheduler.runTasks();
    assertThat(kept).isCompleted();
  }

  @Test
  void tellsWhoWaitsForAServerWhatBecomesOfIt() {
    ServerSession session = open(new RecordingChannel(), Servers.hello(1, 1), 1, Intent.SERVE);
    server(2);
    RecordingDrain watcher = new RecordingDrain();
    cluster.decommissions().watch(Servers.id(1), watcher);

    decommission(1, true);
    decommission(2, true);
    session.report(Servers.report(1, Intent.DRAIN));
    session.report(Servers.report(1, Intent.DRAIN));
    cluster.decommissions().unwatch(watcher);
    session.report(Servers.report(1, Intent.STOP));

    assertThat(watcher.seen).containsExactly("DRAINING", "DRAINING and empty");
  }

  @Test
  void tellsWhoWaitsForAServerThatItIsToStay() {
    server(1);
    server(2);
    RecordingDrain one = new RecordingDrain();
    RecordingDrain two = new RecordingDrain();
    decommission(1, true);
    decommission(2, true);
    cluster.decommissions().watch(Servers.id(1), one);
    cluster.decommissions().watch(Servers.id(2), two);

    decommission(1, false);

    assertThat(one.seen).containsExactly("ACTIVE", "CANCELLED");
    assertThat(two.seen).isEmpty();
  }

  private static final class RecordingDrain implements DrainWatcher {
    private final List<String> seen = new ArrayList<>();

    @Override
    public void changed(ServerView server) {
      seen.add(server.state() + (server.drained() ? " and empty" : ""));
    }

    @Override
    public void end(SluiceException reason) {
      seen.add(reason.code().name());
    }
  }
}
