package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.admission.Gate;
import io.sluice.coordinator.admission.Quota;
import io.sluice.coordinator.admission.Subject;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.ServerLoad;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerReport.Use;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Who is let in, over changes of leader too. */
class ClusterAdmissionTest extends ClusterFixture {
  private static final long MIB = 1 << 20;

  private static ApplicationRecord record(long number, String user) {
    return new ApplicationRecord(
        ApplicationId.of(1, number), "app-" + number, user, "spark", "0.1", 42);
  }

  private void register(Cluster at, long number, String user) {
    CompletableFuture<Void> registered = at.register(record(number, user)).toCompletableFuture();
    scheduler.runTasks();
    assertThat(registered).isCompleted();
  }

  private static void create(Cluster at, long application, int shuffle, int partitions) {
    at.createShuffle(
        new ShuffleKey(ApplicationId.of(1, application), shuffle, 0), partitions, 1, Set.of());
  }

  private void decide(CompletionStage<Void> decision) {
    scheduler.runTasks();
    assertThat(decision.toCompletableFuture()).isCompleted();
  }

  private void limit(Subject subject, Quota quota) {
    decide(cluster.admission().limit(subject, quota));
  }

  private static Quota partitions(long count) {
    return new Quota(Quota.UNLIMITED, count, Quota.UNLIMITED);
  }

  private static Quota bytes(long count) {
    return new Quota(count, Quota.UNLIMITED, Quota.UNLIMITED);
  }

  private void joins(long number, boolean diskWorks) {
    ServerReport report =
        new ServerReport(Servers.withDisks(MIB, diskWorks), ServerReport.Intent.SERVE);
    cluster.openSession(Servers.hello(number, 1), report, new RecordingChannel());
  }

  @Test
  void serversWhoseDisksTakeNothingCountAsFull() {
    joins(1, false);
    assertThat(cluster.holdings().load()).isEqualTo(1);

    joins(2, true);
    assertThat(cluster.holdings().load()).isBetween(0.5, 0.53);
  }

  /** The next leader, which has the applications and decisions of this one. */
  private Cluster successor() {
    cluster.close(new SluiceException(ErrorCode.NOT_LEADER, "another leads"));
    return cluster(
        new Term(
            5,
            List.copyOf(store.applications().values()),
            List.copyOf(store.servers().values()),
            store.decommissioned(),
            store.decisions()));
  }

  private static String refused(ErrorCode code, ThrowingCallable call) {
    SluiceException refusal = catchThrowableOfType(SluiceException.class, call);
    assertThat(refusal).isNotNull();
    assertThat(refusal.code()).isEqualTo(code);
    return refusal.detail();
  }

  // ---------------------------------------------------------------------------------- lists

  @Test
  void aDeniedUserStaysOutAlsoIfHeIsAllowed() {
    decide(cluster.admission().open(new Gate(Set.of("ada", "eve"), Set.of("eve"), 1)));

    assertThat(refused(ErrorCode.ACCESS_DENIED, () -> register(cluster, 1, "eve")))
        .contains("user 'eve' is on the cluster's deny list");
    assertThat(refused(ErrorCode.ACCESS_DENIED, () -> register(cluster, 1, "bob")))
        .contains("user 'bob' is not on the cluster's allow list");
    register(cluster, 1, "ada");
    assertThat(store.applications()).hasSize(1);
  }

  @Test
  void whoIsInStaysInAndListsHoldOverTerms() {
    register(cluster, 1, "eve");
    decide(cluster.admission().open(new Gate(Set.of(), Set.of("eve", "b,ö&b"), 1)));
    register(cluster, 1, "eve");

    Cluster next = successor();

    register(next, 1, "eve");
    refused(ErrorCode.ACCESS_DENIED, () -> register(next, 2, "eve"));
    refused(ErrorCode.ACCESS_DENIED, () -> register(next, 2, "b,ö&b"));
    decide(next.admission().open(Gate.OPEN));
    register(next, 2, "eve");
  }

  // ----------------------------------------------------------------------------------- load

  /** A server of 1 GiB that is used to a percentage. */
  private static ServerReport used(int percent) {
    var memory = new ServerLoad.Memory(1 << 30, (1L << 30) / 100 * percent);
    return new ServerReport(
        new ServerLoad(memory, List.of(), new ServerLoad.Traffic(0, 0, 0, 0, 0)), Intent.SERVE);
  }

  @Test
  void aFullClusterLetsNobodyInUntilThereIsRoom() {
    ServerSession one = cluster.openSession(Servers.hello(1, 1), used(90), new RecordingChannel());
    cluster.openSession(Servers.hello(2, 1), used(70), new RecordingChannel());
    register(cluster, 1, "ada");
    decide(cluster.admission().open(new Gate(Set.of(), Set.of(), 0.75)));

    assertThat(refused(ErrorCode.CLUSTER_FULL, () -> register(cluster, 2, "ada")))
        .contains("used to 80 %", "up to 75 %");
    register(cluster, 1, "ada");
    create(cluster, 1, 0, 10);
    one.report(used(50));
    register(cluster, 2, "ada");
  }

  @Test
  void aNewLeaderNeitherRefusesNorAdmitsByTheLoadOfAFewServers() {
    cluster.openSession(Servers.hello(1, 1), used(99), new RecordingChannel());
    cluster.openSession(Servers.hello(2, 1), used(1), new RecordingChannel());
    decide(cluster.admission().open(new Gate(Set.of(), Set.of(), 0.75)));
    Cluster next = successor();

    // Nobody has said anything: neither full nor empty.
    refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> register(next, 1, "ada"));
    next.openSession(Servers.hello(1, 1), used(99), new RecordingChannel());
    // The full one alone would refuse.
    assertThat(refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> register(next, 1, "ada")))
        .contains("has not heard from all servers yet");
    next.openSession(Servers.hello(2, 1), used(1), new RecordingChannel());
    register(next, 1, "ada");
  }

  @Test
  void aNewLeaderDoesNotWaitForServersThatStaySilent() {
    cluster.openSession(Servers.hello(1, 1), used(99), new RecordingChannel());
    cluster.openSession(Servers.hello(2, 1), used(1), new RecordingChannel());
    decide(cluster.admission().open(new Gate(Set.of(), Set.of(), 0.75)));
    Cluster next = successor();
    ServerSession one = next.openSession(Servers.hello(1, 1), used(10), new RecordingChannel());
    for (int second = 0; second < 6; second++) {
      scheduler.advance(1, TimeUnit.SECONDS);
      one.report(used(10));
    }

    register(next, 1, "ada");
  }

  // --------------------------------------------------------------------------------- quotas

  @Test
  void partitionsAreWhatIsPlacedAndNotWhatServersHold() {
    limit(Subject.user("ada"), partitions(100));
    register(cluster, 1, "ada");
    // Removed shuffles whose data is not gone yet, and sets that were moved: more than was placed.
    holding(1, MIB, new Use(ApplicationId.of(1, 1), 10, 90));
    create(cluster, 1, 0, 60);
    create(cluster, 1, 1, 40);
    assertThat(refused(ErrorCode.QUOTA_EXCEEDED, () -> create(cluster, 1, 2, 1)))
        .contains("user 'ada' has 100 and wants 1", "100 partitions");

    cluster.removeShuffle(new ShuffleKey(ApplicationId.of(1, 1), 0, 0));
    create(cluster, 1, 2, 60);
    // The same shuffle again is no new one.
    create(cluster, 1, 2, 60);
  }

  @Test
  void aNewLeaderKnowsWhatDriversTellAndCountsNothingTwice() {
    limit(Subject.user("ada"), partitions(100));
    register(cluster, 1, "ada");
    server(1);
    create(cluster, 1, 0, 60);
    Cluster next = successor();
    next.openSession(
        Servers.hello(1, 1, ApplicationId.of(1, 1)),
        new ServerReport(
            Servers.free(MIB), Intent.SERVE, List.of(new Use(ApplicationId.of(1, 1), 10, 60))),
        new RecordingChannel());
    create(next, 1, 1, 30);
    ApplicationId id = ApplicationId.of(1, 1);

    Map<ShuffleKey, Integer> has =
        Map.of(new ShuffleKey(id, 0, 0), 60, new ShuffleKey(id, 1, 0), 30);
    next.heartbeat(id, has);
    next.heartbeat(id, has);

    assertThat(next.holdings().user("ada").partitions()).isEqualTo(90);
    create(next, 1, 2, 10);
    refused(ErrorCode.QUOTA_EXCEEDED, () -> create(next, 1, 3, 1));
    next.removeShuffle(new ShuffleKey(id, 0, 0));
    assertThat(next.holdings().application(id).partitions()).isEqualTo(40);
    create(next, 1, 3, 60);
  }

  @Test
  void bytesAreWhatServersSayAndAShuffleIsRefusedOnceTheyAreUsedUp() {
    limit(Subject.each(Subject.Kind.USER), bytes(1_000));
    register(cluster, 1, "ada");
    register(cluster, 2, "ada");
    register(cluster, 3, "bob");
    ServerSession one = holding(1, MIB, new Use(ApplicationId.of(1, 1), 600, 1));
    holding(2, MIB, new Use(ApplicationId.of(1, 2), 399, 1));
    create(cluster, 1, 0, 1);
    one.report(
        new ServerReport(
            Servers.free(MIB), Intent.SERVE, List.of(new Use(ApplicationId.of(1, 1), 601, 1))));

    assertThat(refused(ErrorCode.QUOTA_EXCEEDED, () -> create(cluster, 2, 0, 1)))
        .contains("user 'ada' holds 1000", "1000 bytes");
    create(cluster, 3, 0, 1);
    // Ended, it is not his any more, though its bytes are still there.
    cluster.unregister(ApplicationId.of(1, 1));
    create(cluster, 2, 0, 1);
    assertThat(cluster.holdings().user("ada").bytes()).isEqualTo(399);
  }

  @Test
  void aNewLeaderJudgesBytesOnlyWhenItKnowsThem() {
    limit(Subject.user("ada"), bytes(1_000));
    register(cluster, 1, "ada");
    server(1);
    server(2);
    Cluster next = successor();
    next.openSession(Servers.hello(1, 1), Servers.report(MIB), new RecordingChannel());

    refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> create(next, 1, 0, 1));
    next.openSession(
        Servers.hello(2, 1, ApplicationId.of(1, 1)),
        new ServerReport(
            Servers.free(MIB), Intent.SERVE, List.of(new Use(ApplicationId.of(1, 1), 1_000, 1))),
        new RecordingChannel());
    refused(ErrorCode.QUOTA_EXCEEDED, () -> create(next, 1, 0, 1));
  }

  @Test
  void anApplicationThatExpiresIsNobodysAnyMore() {
    limit(Subject.user("ada"), new Quota(Quota.UNLIMITED, Quota.UNLIMITED, 1));
    register(cluster, 1, "ada");
    refused(ErrorCode.QUOTA_EXCEEDED, () -> register(cluster, 2, "ada"));
    scheduler.advance(6, TimeUnit.MINUTES);
    register(cluster, 2, "ada");
  }

  // ------------------------------------------------------------------------------- the end

  @Test
  void anApplicationThatIsEndedByAnOperatorLosesItsDataOnlyWhenThatIsKept() {
    RecordingChannel server = server(1);
    register(cluster, 1, "ada");
    ApplicationId id = ApplicationId.of(1, 1);
    server.sent().clear();
    store.setHolding(true);
    CompletableFuture<Void> killed = cluster.kill(id, "ada").toCompletableFuture();
    scheduler.runTasks();

    assertThat(killed).isNotDone();
    assertThat(server.sent()).doesNotContain(new Directive.RemoveApplication(id));
    cluster.heartbeat(id);
    store.release();
    scheduler.runTasks();
    assertThat(killed).isCompleted();
    assertThat(server.sent()).contains(new Directive.RemoveApplication(id));
    refused(ErrorCode.APPLICATION_ENDED, () -> register(cluster, 1, "ada"));
  }

  /** Callers ask again when an answer is lost, and a coordinator may not know that it was done. */
  @Test
  void endingAnApplicationTwiceIsDoneTwice() {
    register(cluster, 1, "ada");
    ApplicationId id = ApplicationId.of(1, 1);
    decide(cluster.kill(id, "ada"));

    decide(cluster.kill(id, "bob"));

    assertThat(store.decisions().get("killed/" + id)).containsEntry("by", "ada");
    refused(ErrorCode.UNKNOWN_APPLICATION, () -> cluster.kill(ApplicationId.of(1, 7), "ada"));
  }

  @Test
  void anApplicationGoesOnIfItsEndCannotBeKept() {
    RecordingChannel server = server(1);
    register(cluster, 1, "ada");
    store.setFailing(true);

    CompletableFuture<Void> killed =
        cluster.kill(ApplicationId.of(1, 1), "ada").toCompletableFuture();
    scheduler.runTasks();

    assertThat(killed).isCompletedExceptionally();
    store.setFailing(false);
    assertThat(server.sent()).noneMatch(Directive.RemoveApplication.class::isInstance);
    register(cluster, 1, "ada");
    create(cluster, 1, 0, 1);
  }

  @Test
  void anApplicationWhoseEndWasKeptAndNotDoneIsEndedByTheNextLeader() {
    ApplicationId id = ApplicationId.of(1, 1);
    register(cluster, 1, "ada");
    store.putDecision("killed/" + id, Map.of("at", Long.toString(scheduler.wallTimeMillis())));

    Cluster next =
        cluster(
            new Term(
                5,
                List.copyOf(store.applications().values()),
                List.of(),
                Set.of(),
                store.decisions()));

    refused(ErrorCode.UNKNOWN_APPLICATION, () -> next.heartbeat(id));
    assertThat(store.applications()).isEmpty();
  }

  @Test
  void anApplicationThatWasEndedMayReturnAfterADay() {
    register(cluster, 1, "ada");
    decide(cluster.kill(ApplicationId.of(1, 1), "ada"));
    scheduler.advance(23, TimeUnit.HOURS);
    refused(ErrorCode.APPLICATION_ENDED, () -> register(cluster, 1, "ada"));
    scheduler.advance(2, TimeUnit.HOURS);

    register(cluster, 1, "ada");
    assertThat(store.decisions()).isEmpty();
  }
}
