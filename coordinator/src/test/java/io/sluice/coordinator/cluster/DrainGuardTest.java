package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which servers operators may not drain without saying that they mean it. */
class DrainGuardTest extends ClusterFixture {
  private static final PlacementWishes OVER_GRPC = PlacementWishes.NONE.withGrpc(true);

  @Test
  void refusesToDrainTheLastServerThatTakesData() {
    server(1);
    assertThat(refusal(cluster, 1)).isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    server(2);
    set(2, true);
    assertThat(refusal(cluster, 1)).isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    assertThat(store.decommissioned()).containsExactly(Servers.id(2));

    server(3);
    drain(1);
    drain(1);
    assertThat(store.decommissioned()).containsExactlyInAnyOrder(Servers.id(1), Servers.id(2));
  }

  @Test
  void aDrainThatWasTakenBackCountsNoMore() {
    server(1);
    server(2);
    drain(1);
    assertThat(refusal(cluster, 2)).isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    set(1, false);
    drain(2);
  }

  @Test
  void twoWhoDrainAtOnceDoNotTakeTheLastTwo() {
    server(1);
    server(2);
    store.setHolding(true);
    CompletableFuture<Void> first = begin(1);
    CompletableFuture<Void> again = begin(1);
    assertThat(refusal(cluster, 2)).isEqualTo(ErrorCode.TOO_FEW_SERVERS);

    store.setFailing(true);
    store.releaseOne();
    scheduler.runTasks();
    assertThat(first).isCompletedExceptionally();
    assertThat(refusal(cluster, 2)).isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    store.release();
    scheduler.runTasks();
    assertThat(again).isCompletedExceptionally();
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
    set(3, false);
    cluster.createShuffle(SHUFFLE, 4, 2, Set.of());
    drain(3);

    assertThatThrownBy(() -> cluster.decommissions().drain(Servers.id(2)))
        .hasMessageContaining("TOO_FEW_SERVERS")
        .hasMessageContaining("1 would take data, ")
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

  @Test
  void leavesAServerWithGrpcToApplicationsThatHaveNothingElse() {
    server(1);
    open(Servers.withoutGrpc(2));
    open(Servers.withoutGrpc(3));
    register(1, OVER_GRPC);

    assertThatThrownBy(() -> cluster.decommissions().drain(Servers.id(1)))
        .hasMessageContaining("TOO_FEW_SERVERS")
        .hasMessageContaining("0 would take data of applications whose transport is grpc, ");
    drain(2);
    complete(cluster.unregister(application(1)).toCompletableFuture());
    drain(1);
  }

  @Test
  void leavesAServerWithTheTagsThatApplicationsAskFor() {
    open(Servers.standing(1, "z", "r", "nvme"));
    open(Servers.standing(2, "z", "r", "nvme"));
    open(Servers.standing(3, "z", "r"));
    register(1, tags("nvme"));

    drain(1);
    assertThatThrownBy(() -> cluster.decommissions().drain(Servers.id(2)))
        .hasMessageContaining("of applications that ask for tags [nvme], ");
    drain(3);
  }

  @Test
  void countsReplicasAmongTheServersThatTheirApplicationMayUse() {
    server(1);
    server(2);
    open(Servers.withoutGrpc(3));
    open(Servers.withoutGrpc(4));
    register(1, OVER_GRPC);
    cluster.createShuffle(new ShuffleKey(application(1), 0, 0), 4, 2, Set.of());

    assertThat(refusal(cluster, 1)).isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    drain(3);
    drain(4);
  }

  @Test
  void whatAnApplicationMayNotUseAnywayIsNotKeptForIt() {
    open(Servers.standing(1, "z", "r", "ssd"));
    server(2);
    register(1, tags("nvme"));
    drain(1);
  }

  @Test
  void aNewLeaderCountsServersThatItHasHeard() {
    server(1);
    server(2);
    server(3);
    Cluster next = cluster(nextTerm());
    hello(next, 1);
    assertThat(refusal(next, 1)).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);

    hello(next, 2);
    complete(next.decommissions().drain(Servers.id(1)).toCompletableFuture());
    assertThat(next.decommissions().all()).containsExactly(Servers.id(1));
  }

  @Test
  void aNewLeaderWaitsForNoServerThatStaysSilent() {
    server(1);
    server(2);
    Cluster next = cluster(nextTerm());
    ServerSession session = hello(next, 1);
    assertThat(refusal(next, 1)).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);

    reportFor(session, 5);
    assertThat(refusal(next, 1)).isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    hello(next, 3);
    complete(next.decommissions().drain(Servers.id(1)).toCompletableFuture());
  }

  @Test
  void aServerThatANewLeaderHasNotHeardMayBeTheLastOfItsKind() {
    open(Servers.standing(1, "z", "r", "nvme"));
    server(2);
    ApplicationRecord application = register(1, tags("nvme"));
    Cluster next = cluster(nextTerm(application));
    ServerSession session = hello(next, 2);
    assertThat(refusal(next, 1)).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);

    reportFor(session, 5);
    assertThat(refusal(next, 1)).isEqualTo(ErrorCode.TOO_FEW_SERVERS);
    reportFor(session, 25);
    complete(next.decommissions().drain(Servers.id(1)).toCompletableFuture());
  }

  private static ErrorCode refusal(Cluster leader, long number) {
    return codeOf(() -> leader.decommissions().drain(Servers.id(number)));
  }

  private void drain(long number) {
    complete(begin(number));
  }

  private CompletableFuture<Void> begin(long number) {
    return cluster.decommissions().drain(Servers.id(number)).toCompletableFuture();
  }

  private void set(long number, boolean begins) {
    complete(cluster.decommissions().set(Servers.id(number), begins).toCompletableFuture());
  }

  private void complete(CompletableFuture<Void> kept) {
    scheduler.runTasks();
    assertThat(kept).isCompleted();
  }

  private void open(ServerHello hello) {
    open(new RecordingChannel(), hello, 1 << 30, Intent.SERVE);
  }

  private static ServerSession hello(Cluster leader, long number) {
    return leader.openSession(
        Servers.hello(number, 1), Servers.report(1 << 30), new RecordingChannel());
  }

  private static ApplicationId application(long number) {
    return ApplicationId.of(5, number);
  }

  private ApplicationRecord register(long number, PlacementWishes wishes) {
    ApplicationRecord record =
        new ApplicationRecord(
            application(number),
            "app-" + number,
            "ada",
            "spark",
            "0.1",
            42,
            null,
            0,
            false,
            wishes);
    complete(cluster.register(record).toCompletableFuture());
    return record;
  }

  private static PlacementWishes tags(String... tags) {
    return new PlacementWishes(Optional.of(PlacementStyle.PACKED), Set.of(tags), "zone-1");
  }
}
