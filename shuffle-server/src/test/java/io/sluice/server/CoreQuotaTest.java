package io.sluice.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.config.QuotaConfig;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.user.KnownUsers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Applications and partitions that store more than they may. */
class CoreQuotaTest {
  private static final ApplicationId RUNAWAY = ApplicationId.of(7, 7);
  private static final ApplicationId SECOND = ApplicationId.of(7, 8);
  private static final ShuffleKey MODEST = CoreFixture.shuffle(1);
  private static final int BLOCK = 100_000;
  private static final long LIMIT = 1_000_000;

  private CoreFixture fixture =
      new CoreFixture(
          1, 4 * CoreFixture.MIB, 1, new QuotaLimits(Long.MAX_VALUE, LIMIT, Long.MAX_VALUE));

  private void limit(QuotaLimits quotas) {
    fixture = new CoreFixture(1, 4 * CoreFixture.MIB, 1, quotas);
  }

  private void limitUsers() {
    limit(new QuotaLimits(LIMIT, Long.MAX_VALUE, Long.MAX_VALUE));
  }

  private void tell(Map<ApplicationId, String> users) {
    fixture.core.quotas().learn(new KnownUsers(true, true, users));
  }

  private static ShuffleKey runaway(int shuffle) {
    return new ShuffleKey(RUNAWAY, shuffle, 0);
  }

  /** Pushes blocks of one map each, every other one in parts; returns what was stored. */
  private List<TestBlock> push(TestPeer peer, ShuffleKey shuffle, int partition, int blocks) {
    int handle = peer.open(shuffle, fixture.identity.incarnation());
    int before = peer.acked.size();
    for (int map = 0; map < blocks; map++) {
      TestBlock block = new TestBlock(partition, map, map, 0, BLOCK);
      if (map % 2 == 0) {
        fixture.push(peer, handle, block);
      } else {
        fixture.pushInParts(peer, handle, block);
      }
    }
    fixture.finish(peer);
    return new ArrayList<>(peer.acked.subList(before, peer.acked.size()));
  }

  @Test
  void anApplicationIsStoppedAtItsQuotaAndNobodyElseIs() {
    TestPeer greedy = fixture.connect();
    TestPeer other = fixture.connect();

    List<TestBlock> stored = push(greedy, runaway(1), 0, 30);

    assertThat(stored).hasSize(10);
    assertThat(greedy.nacked.values()).hasSize(20).containsOnly(ErrorCode.QUOTA_EXCEEDED);
    assertThat(push(greedy, runaway(2), 5, 3)).as("another shuffle of it").isEmpty();
    assertThat(push(other, MODEST, 0, 6)).hasSize(6);
    assertThat(fixture.core.quotas().exhausted()).isEqualTo(1);
    assertThat(requireNonNull(fixture.core.quotas().find(RUNAWAY)).used())
        .isEqualTo(stored.stream().mapToLong(TestBlock::length).sum());
  }

  @Test
  void whatItHoldsStaysReadableWhileMoreIsRefused() {
    TestPeer greedy = fixture.connect();
    List<TestBlock> stored = push(greedy, runaway(1), 0, 15);

    int handle = greedy.open(runaway(1), fixture.identity.incarnation());
    assertThat(fixture.fetchAll(greedy, handle, 1).blocks())
        .containsExactlyInAnyOrderElementsOf(stored);
  }

  @Test
  void flushingFreesNoQuotaAndRemovingFreesAllOfIt() {
    TestPeer greedy = fixture.connect();
    push(greedy, runaway(1), 0, 30);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    assertThat(fixture.core.arena().chunkBytes()).isZero();
    assertThat(fixture.core.quotas().exhausted()).isEqualTo(1);

    fixture.core.shuffles().remove(runaway(1));
    fixture.world.settle();
    assertThat(fixture.core.quotas().used()).isZero();

    fixture.core.shuffles().remove(RUNAWAY);
    assertThat(fixture.core.quotas().exhausted()).isZero();
  }

  @Test
  void whatIsFoundOnTheDiskAtStartCounts() {
    TestPeer greedy = fixture.connect();
    push(greedy, runaway(1), 0, 30);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);

    Quotas found = fixture.restarted().quotas();

    assertThat(requireNonNull(found.find(RUNAWAY)).exhausted()).isTrue();
    assertThat(found.used()).isEqualTo(fixture.core.quotas().used());
  }

  @Test
  void aUserIsStoppedAtTheQuotaOfAllApplicationsTogether() {
    limitUsers();
    tell(Map.of(RUNAWAY, "ada", SECOND, "ada", MODEST.application(), "bob"));
    TestPeer peer = fixture.connect();

    assertThat(push(peer, runaway(1), 0, 6)).hasSize(6);
    assertThat(push(peer, new ShuffleKey(SECOND, 1, 0), 0, 10)).hasSize(4);
    assertThat(push(peer, runaway(1), 1, 3)).as("the first one of the same user").isEmpty();
    assertThat(peer.nacked.values()).hasSize(9).containsOnly(ErrorCode.QUOTA_EXCEEDED);
    assertThat(push(peer, MODEST, 0, 6)).as("another user").hasSize(6);
    assertThat(fixture.core.quotas().exhaustedUsers()).isEqualTo(1);
    assertThat(fixture.core.quotas().exhausted()).as("at limits of their own").isZero();

    fixture.core.shuffles().remove(SECOND);
    assertThat(push(peer, runaway(1), 1, 9)).as("what the second gave back").hasSize(4);
  }

  @Test
  void whatCameBeforeTheUserWasKnownCountsForTheUserFromThenOn() {
    limitUsers();
    TestPeer peer = fixture.connect();
    assertThat(push(peer, runaway(1), 0, 12)).as("for itself alone").hasSize(12);
    assertThat(push(peer, new ShuffleKey(SECOND, 1, 0), 0, 1)).hasSize(1);

    tell(Map.of(RUNAWAY, "ada", SECOND, "ada"));

    assertThat(fixture.core.quotas().usedByUser())
        .isEqualTo(Map.of("ada", fixture.core.quotas().used()));
    assertThat(push(peer, new ShuffleKey(SECOND, 1, 0), 0, 3)).isEmpty();
  }

  @Test
  void aUserIsForgottenWithTheLastApplication() {
    limitUsers();
    tell(Map.of(RUNAWAY, "ada", SECOND, "ada"));
    TestPeer peer = fixture.connect();
    push(peer, runaway(1), 0, 6);
    push(peer, new ShuffleKey(SECOND, 1, 0), 0, 6);

    fixture.core.shuffles().remove(RUNAWAY);
    assertThat(fixture.core.quotas().usedByUser()).containsOnlyKeys("ada");
    fixture.core.shuffles().remove(SECOND);

    assertThat(fixture.core.quotas().usedByUser()).isEmpty();
    assertThat(fixture.core.quotas().used()).isZero();
  }

  @Test
  void whatIsFoundOnTheDiskAtStartCountsForTheUserOnceKnown() {
    limitUsers();
    TestPeer peer = fixture.connect();
    push(peer, runaway(1), 0, 15);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    long held = fixture.core.quotas().used();

    Quotas found = fixture.restarted().quotas();
    assertThat(requireNonNull(found.find(RUNAWAY)).exhausted())
        .as("while the user is unknown")
        .isFalse();
    found.learn(new KnownUsers(true, true, Map.of(RUNAWAY, "ada")));

    assertThat(requireNonNull(found.find(RUNAWAY)).exhausted()).isTrue();
    assertThat(found.usedByUser()).isEqualTo(Map.of("ada", held));
  }

  @Test
  void aPartitionIsStoppedAtItsOwnLimit() {
    limit(new QuotaLimits(Long.MAX_VALUE, Long.MAX_VALUE, LIMIT));
    TestPeer peer = fixture.connect();

    assertThat(push(peer, MODEST, 3, 15)).hasSize(10);
    assertThat(peer.nacked.values()).hasSize(5).containsOnly(ErrorCode.QUOTA_EXCEEDED);
    assertThat(push(peer, MODEST, 4, 5)).as("its neighbour").hasSize(5);
    assertThat(fixture.core.quotas().exhausted()).as("as the metric says").isEqualTo(1);
    push(peer, MODEST, 3, 1);
    fixture.core.shuffles().remove(MODEST);
    assertThat(fixture.core.quotas().exhausted()).isZero();
  }

  @Test
  void saysWhoseQuotaItIsHowMuchIsHeldAndWhatTheLimitIs() {
    TestPeer greedy = fixture.connect();
    long held = push(greedy, runaway(1), 0, 12).stream().mapToLong(TestBlock::length).sum();
    assertThat(greedy.explanations)
        .as("once for both blocks")
        .containsExactly(
            "QUOTA_EXCEEDED: application "
                + RUNAWAY
                + " may store nothing more here: it holds "
                + held
                + " bytes, and server.quota.application is "
                + LIMIT);

    limitUsers();
    tell(Map.of(RUNAWAY, "ada"));
    TestPeer user = fixture.connect();
    push(user, runaway(1), 0, 12);
    assertThat(user.explanations)
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("user ada", held + " bytes", QuotaConfig.USER.name() + " is " + LIMIT);

    limit(new QuotaLimits(Long.MAX_VALUE, Long.MAX_VALUE, LIMIT));
    TestPeer skewed = fixture.connect();
    push(skewed, MODEST, 3, 12);
    assertThat(skewed.explanations)
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("partition 3 of shuffle 1", held + " bytes", "server.quota.partition");
  }
}
