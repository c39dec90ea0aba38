package io.sluice.coordinator.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ClusterId;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.Servers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a real ZooKeeper in this process. */
class ZooKeeperStateStoreTest {
  private static final ApplicationRecord APPLICATION =
      new ApplicationRecord(
          ApplicationId.of(1, 2),
          "app & co=ü",
          "ada",
          "spark",
          "0.1",
          1_700_000_000_000L,
          null,
          86_400_000,
          true,
          new PlacementWishes(
                  Optional.of(PlacementStyle.ZONE_LOCAL), Set.of("nvme", "a/b"), "eu-1a")
              .withGrpc(true));

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path directory;

  @SuppressWarnings("NullAway.Init")
  private EmbeddedZooKeeper server;

  @BeforeEach
  void start() {
    server = EmbeddedZooKeeper.start(directory);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private ZooKeeperEnsemble open() {
    return ZooKeeperEnsemble.open(
        new ZooKeeperSettings(server.connectString(), "/a/cluster", Duration.ofSeconds(10)));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    try {
      return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Test
  void keepsRecordsAndCountsTermsAcrossARestartOfZooKeeper() throws Exception {
    ServerRecord lost = new ServerRecord(Servers.address(1, 5), 5, false);
    ServerRecord stopping = new ServerRecord(Servers.intact(7, 9, 4).address(), 3, true);
    try (ZooKeeperEnsemble ensemble = open()) {
      StateStore store = ensemble.store();
      Term first = get(store.beginTerm("here:1"));
      assertThat(first)
          .isEqualTo(new Term(1, first.cluster(), List.of(), List.of(), Set.of(), Map.of()));
      get(store.putApplication(APPLICATION));
      get(store.putServer(new ServerRecord(Servers.address(1, 5), 4, false)));
      get(store.putServer(lost));
      get(store.putServer(new ServerRecord(Servers.address(2, 1), 0, false)));
      get(store.removeServer(Servers.id(2)));
      get(store.removeServer(Servers.id(3)));
      get(store.putServer(stopping));
      get(store.putDecommission(Servers.id(4)));
      get(store.putDecommission(Servers.id(5)));
      get(store.putDecommission(Servers.id(5)));
      get(store.removeDecommission(Servers.id(4)));
      get(store.removeDecommission(Servers.id(6)));
    }
    server.close();
    server = EmbeddedZooKeeper.start(directory);

    try (ZooKeeperEnsemble ensemble = open()) {
      Term term = get(ensemble.store().beginTerm("here:2"));
      assertThat(term.number()).isEqualTo(2);
      assertThat(term.applications()).containsExactly(APPLICATION);
      assertThat(term.servers()).containsExactlyInAnyOrder(lost, stopping);
      assertThat(term.decommissioned()).containsExactly(Servers.id(5));
    }
  }

  @Test
  void drawsTheIdOfTheClusterOnce() throws Exception {
    Optional<ClusterId> id;
    try (ZooKeeperEnsemble one = open();
        ZooKeeperEnsemble two = open();
        ZooKeeperEnsemble other =
            ZooKeeperEnsemble.open(
                new ZooKeeperSettings(server.connectString(), "/b", Duration.ofSeconds(10)))) {
      id = get(one.store().beginTerm("one:1")).cluster();
      assertThat(id).isPresent();
      assertThat(get(two.store().beginTerm("two:1")).cluster()).isEqualTo(id);
      assertThat(get(one.store().beginTerm("one:1")).cluster()).isEqualTo(id);
      assertThat(get(other.store().beginTerm("one:1")).cluster()).isPresent().isNotEqualTo(id);
    }
    server.close();
    server = EmbeddedZooKeeper.start(directory);

    try (ZooKeeperEnsemble ensemble = open()) {
      assertThat(get(ensemble.store().beginTerm("one:1")).cluster()).isEqualTo(id);
    }
  }

  /** Versions before know the term alone, and write it anew without what they do not know. */
  @Test
  void namesAClusterThatAVersionBeforeMadeAndThatOneKeepsTheName() throws Exception {
    try (CuratorFramework before =
            CuratorFrameworkFactory.newClient(
                server.connectString(), new ExponentialBackoffRetry(100, 3));
        ZooKeeperEnsemble ensemble = open()) {
      before.start();
      before
          .create()
          .creatingParentsIfNeeded()
          .forPath("/a/cluster/term", "leader=old:1&term=4".getBytes(UTF_8));
      Term first = get(ensemble.store().beginTerm("here:1"));
      assertThat(first.number()).isEqualTo(5);
      assertThat(first.cluster()).isPresent();

      before.setData().forPath("/a/cluster/term", "leader=old:1&term=6".getBytes(UTF_8));
      Term next = get(ensemble.store().beginTerm("here:1"));
      assertThat(next.number()).isEqualTo(7);
      assertThat(next.cluster()).isEqualTo(first.cluster());

      before.setData().forPath("/a/cluster/cluster", "id=none".getBytes(UTF_8));
      assertThat(get(ensemble.store().beginTerm("here:1")).cluster()).as("unreadable").isEmpty();
    }
  }

  @Test
  void keepsDecisionsWhateverTheyAreCalled() throws Exception {
    Map<String, String> gate = Map.of("allow", "ada,b%26b", "deny", "", "loadMax", "0.75");
    try (ZooKeeperEnsemble ensemble = open()) {
      get(ensemble.store().beginTerm("here:1"));
      get(ensemble.store().putDecision("gate", Map.of("allow", "eve")));
      get(ensemble.store().putDecision("gate", gate));
      get(ensemble.store().putDecision("quota/user:b&b=ü/..", Map.of("bytes", "5")));
      get(ensemble.store().putDecision("killed/1", Map.of("at", "7")));
      get(ensemble.store().removeDecision("killed/1"));
      get(ensemble.store().removeDecision("never there"));
    }
    server.close();
    server = EmbeddedZooKeeper.start(directory);

    try (ZooKeeperEnsemble ensemble = open()) {
      assertThat(get(ensemble.store().beginTerm("here:2")).decisions())
          .isEqualTo(Map.of("gate", gate, "quota/user:b&b=ü/..", Map.of("bytes", "5")));
    }
  }

  /** A larger message than ZooKeeper takes would cost the session, and so the leader its term. */
  @Test
  void refusesADecisionThatANodeCannotHold() throws Exception {
    try (ZooKeeperEnsemble ensemble = open()) {
      StateStore store = ensemble.store();
      get(store.beginTerm("here:1"));

      assertThatThrownBy(() -> get(store.putDecision("gate", Map.of("allow", "x".repeat(2 << 20)))))
          .hasMessageContaining("QUOTA_EXCEEDED")
          .hasMessageContaining("/decisions/gate would take 20971")
          .hasMessageContaining("at most 524288");

      get(store.putDecision("gate", Map.of("allow", "x".repeat(500_000))));
      assertThat(get(store.beginTerm("here:1")).decisions()).hasSize(1);
    }
  }

  @Test
  void refusesMoreDecisionsThanCanBeListed() throws Exception {
    String name = "ü".repeat(10_000);
    try (ZooKeeperEnsemble ensemble = open();
        ZooKeeperEnsemble successor = open()) {
      StateStore store = ensemble.store();
      get(store.beginTerm("here:1"));
      // Each is 60,000 letters long in the end.
      int kept = 0;
      Throwable refusal = null;
      while (refusal == null && kept < 20) {
        String next = kept + name;
        refusal = catchThrowable(() -> get(store.putDecision(next, Map.of())));
        kept += refusal == null ? 1 : 0;
      }
      assertThat(kept).isEqualTo(14);
      assertThat(refusal).hasMessageContaining("QUOTA_EXCEEDED").hasMessageContaining("900000");

      // What is there can be changed, and what goes makes room; the next leader can list it all.
      get(store.putDecision(0 + name, Map.of("bytes", "1")));
      get(store.removeDecision(1 + name));
      get(store.putDecision(99 + name, Map.of()));
      Term next = get(successor.store().beginTerm("there:1"));
      assertThat(next.decisions()).hasSize(14);
      assertThatThrownBy(() -> get(successor.store().putDecision(77 + name, Map.of())))
          .hasMessageContaining("QUOTA_EXCEEDED");
    }
  }

  @Test
  void countsNothingThatAnotherLeaderHasRemoved() throws Exception {
    String name = "n".repeat(60_000);
    try (ZooKeeperEnsemble one = open();
        ZooKeeperEnsemble two = open()) {
      for (int round = 0; round < 3; round++) {
        get(one.store().beginTerm("one:1"));
        for (int i = 0; i < 10; i++) {
          get(one.store().putDecision(round + "-" + i + name, Map.of()));
        }
        Term next = get(two.store().beginTerm("two:1"));
        assertThat(next.decisions()).hasSize(10);
        for (String decision : next.decisions().keySet()) {
          get(two.store().removeDecision(decision));
        }
      }
    }
  }

  @Test
  void refusesWritesOfAnEarlierTerm() throws Exception {
    try (ZooKeeperEnsemble asleep = open();
        ZooKeeperEnsemble successor = open()) {
      get(asleep.store().beginTerm("one:1"));
      get(successor.store().beginTerm("two:1"));

      Throwable refusal = catchThrowable(() -> get(asleep.store().putApplication(APPLICATION)));

      assertThat(refusal).isInstanceOf(SluiceException.class);
      assertThat(((SluiceException) refusal).code()).isEqualTo(ErrorCode.NOT_LEADER);
      assertThat(get(successor.store().beginTerm("two:1")).applications()).isEmpty();
    }
  }

  @Test
  void confirmsATermUntilAnotherBegins() throws Exception {
    try (ZooKeeperEnsemble asleep = open();
        ZooKeeperEnsemble successor = open()) {
      get(asleep.store().beginTerm("one:1"));
      get(asleep.store().confirmTerm());
      get(asleep.store().putApplication(APPLICATION));
      get(asleep.store().confirmTerm());

      get(successor.store().beginTerm("two:1"));

      Throwable refusal = catchThrowable(() -> get(asleep.store().confirmTerm()));
      assertThat(refusal).isInstanceOf(SluiceException.class);
      assertThat(((SluiceException) refusal).code()).isEqualTo(ErrorCode.NOT_LEADER);
      get(successor.store().confirmTerm());
    }
  }

  @Test
  void saysThatZooKeeperIsAwayToWhoWantsToKnowWhetherHeLeads() throws Exception {
    try (ZooKeeperEnsemble ensemble = open()) {
      get(ensemble.store().beginTerm("one:1"));
      server.close();

      Throwable refusal = catchThrowable(() -> get(ensemble.store().confirmTerm()));

      assertThat(refusal).isInstanceOf(SluiceException.class);
      assertThat(((SluiceException) refusal).code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    }
  }

  @Test
  void replacesARecordThatItDidNotKnowOf() throws Exception {
    try (ZooKeeperEnsemble one = open();
        ZooKeeperEnsemble two = open()) {
      get(one.store().beginTerm("one:1"));
      get(two.store().beginTerm("two:1"));
      get(two.store().putApplication(APPLICATION));
      get(one.store().beginTerm("one:1"));
      get(one.store().removeApplication(APPLICATION.id()));
      get(two.store().beginTerm("two:1"));

      // It believes the node to be there still.
      get(two.store().putApplication(APPLICATION));

      assertThat(get(one.store().beginTerm("one:1")).applications()).containsExactly(APPLICATION);
    }
  }

  @Test
  void aNewLifeIsElectedAlthoughTheSessionOfTheOneBeforeHasNotEnded() throws Exception {
    try (ZooKeeperEnsemble before = open();
        ZooKeeperEnsemble now = open()) {
      CountDownLatch first = new CountDownLatch(1);
      before.elect("before:1", elected(first));
      assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
      CountDownLatch second = new CountDownLatch(1);

      now.removeCandidates();
      now.elect("now:1", elected(second));

      assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static ElectionListener elected(CountDownLatch latch) {
    return new ElectionListener() {
      @Override
      public void elected() {
        latch.countDown();
      }

      @Override
      public void deposed() {}

      @Override
      public void leaderIs(String address) {}

      @Override
      public void candidatesAre(List<String> addresses) {}
    };
  }

  @Test
  void locksItsDataDirectory() {
    assertThatThrownBy(() -> EmbeddedZooKeeper.start(directory))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("coordinator.data-dir");
  }
}
