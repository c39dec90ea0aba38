package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

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
  void takesADrainBackThatIsNotKeptYet() {
    RecordingChannel channel = server(1);
    store.setHolding(true);
    CompletableFuture<Void> drained = wish(true);
    CompletableFuture<Void> undone = wish(false);
    store.release();
    scheduler.runTasks();

    assertThat(drained).isCompleted();
    assertThat(undone).isCompleted();
    assertThat(store.decommissioned()).isEmpty();
    assertThat(channel.sent()).endsWith(new Directive.Drain(true), new Directive.Drain(false));
    assertThat(cluster.servers()).extracting(ServerView::state).containsExactly(ServerState.ACTIVE);
  }

  private CompletableFuture<Void> wish(boolean begins) {
    return cluster.decommissions().set(Servers.id(1), begins).toCompletableFuture();
  }

  @Test
  void aDrainThatWasRefusedThoughItWasKeptIsTakenOutOfTheStore() {
    RecordingChannel channel = server(1);
    CompletableFuture<Void> kept = loseAnswer(true);

    assertThat(kept).isCompletedExceptionally();
    assertThat(store.decommissioned()).containsExactly(Servers.id(1));
    store.release();
    scheduler.runTasks();
    assertThat(store.decommissioned()).isEmpty();
    assertThat(cluster.decommissions().all()).isEmpty();
    assertThat(channel.sent()).hasSize(1);
  }

  /** The store holds what comes from then on. */
  private CompletableFuture<Void> loseAnswer(boolean begins) {
    store.setHolding(true);
    CompletableFuture<Void> kept = wish(begins);
    store.setLosingAnswers(true);
    store.releaseOne();
    store.setLosingAnswers(false);
    scheduler.runTasks();
    return kept;
  }

  @Test
  void anUndoThatWasRefusedLeavesTheServerToBeDrained() {
    server(1);
    decommission(1, true);
    RecordingDrain watcher = new RecordingDrain();
    cluster.decommissions().watch(Servers.id(1), watcher);
    CompletableFuture<Void> undone = loseAnswer(false);

    assertThat(undone).isCompletedExceptionally();
    assertThat(store.decommissioned()).isEmpty();
    store.release();
    scheduler.runTasks();
    assertThat(store.decommissioned()).containsExactly(Servers.id(1));
    assertThat(cluster.servers())
        .extracting(ServerView::state)
        .containsExactly(ServerState.DRAINING);
    assertThat(watcher.seen).isEmpty();
  }

  @Test
  void whatWasRefusedIsNotUndoneOnceItIsWantedAgain() {
    server(1);
    store.setFailing(true);
    CompletableFuture<Void> refused = wish(true);
    scheduler.runTasks();
    assertThat(refused).isCompletedExceptionally();

    store.setFailing(false);
    decommission(1, true);
    scheduler.advance(10, TimeUnit.SECONDS);
    assertThat(store.decommissioned()).containsExactly(Servers.id(1));
  }

  @Test
  void aRefusalLeavesToTheStoreWhatWasWantedAfterIt() {
    server(1);
    store.setHolding(true);
    CompletableFuture<Void> refused = wish(true);
    CompletableFuture<Void> again = wish(true);
    store.setFailing(true);
    store.releaseOne();
    store.setFailing(false);
    scheduler.runTasks();
    assertThat(refused).isCompletedExceptionally();

    store.release();
    scheduler.runTasks();
    store.release();
    assertThat(again).isCompleted();
    assertThat(store.decommissioned()).containsExactly(Servers.id(1));
  }

  @Test
  void nothingIsKeptOfAnUndoForAServerThatNobodyKnows() {
    store.setFailing(true);
    CompletableFuture<Void> undone = wish(false);
    scheduler.runTasks();

    assertThat(undone).isCompletedExceptionally();
    assertThat(scheduler.pending()).isZero();
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
