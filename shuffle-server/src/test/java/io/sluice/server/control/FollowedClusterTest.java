package io.sluice.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.HostPort;
import io.sluice.proto.control.v1.Leader;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerWelcome;
import io.sluice.proto.control.v1.Uuid;
import org.junit.jupiter.api.Test;

class FollowedClusterTest {
  private static final HostPort A = new HostPort("a", 1);
  private static final HostPort B = new HostPort("b", 2);
  private static final long PATIENCE = FollowedCluster.PATIENCE_NANOS;

  private final FollowedCluster followed = new FollowedCluster();
  // Clocks begin anywhere.
  private long now = Long.MAX_VALUE - PATIENCE / 2;

  private boolean believes(HostPort coordinator, long cluster, long term) {
    Leader leader =
        Leader.newBuilder().setCluster(Uuid.newBuilder().setLow(cluster)).setTerm(term).build();
    return followed.believes(
        coordinator, ServerDirective.newBuilder().setLeader(leader).build(), now);
  }

  /** One of a version before. */
  private boolean believesUnnamed(long term) {
    ServerWelcome welcome = ServerWelcome.newBuilder().setTerm(term).build();
    return followed.believes(B, ServerDirective.newBuilder().setWelcome(welcome).build(), now);
  }

  @Test
  void followsTheFirstAndThenEveryLaterTermOfIt() {
    assertThat(believes(A, 7, 3)).isTrue();
    assertThat(believes(B, 7, 4)).isTrue();
    assertThat(believes(B, 7, 4)).isTrue();
    assertThat(believes(A, 7, 9)).isTrue();
    assertThat(followed.problem()).isEmpty();
  }

  @Test
  void refusesAnotherClusterWhateverItsTerm() {
    assertThat(believes(A, 7, 3)).isTrue();
    assertThat(believes(B, 8, 1)).isFalse();
    assertThat(believes(B, 8, 99)).isFalse();
    assertThat(followed.problem())
        .get()
        .asString()
        .startsWith("coordinator b:2 leads term 99 of cluster 00000000-0000-0000-0000-000000000008")
        .endsWith("follows term 3 of cluster 00000000-0000-0000-0000-000000000007");
    assertThat(believes(A, 7, 4)).isTrue();
    assertThat(followed.problem()).isEmpty();
  }

  @Test
  void refusesAnEarlierTermOfItsOwn() {
    assertThat(believes(A, 7, 3)).isTrue();
    assertThat(believes(B, 7, 2)).isFalse();
    assertThat(believesUnnamed(2)).isFalse();
    assertThat(believes(B, 7, 3)).isTrue();
  }

  @Test
  void judgesLeadersThatNameNoClusterByTheirTerm() {
    assertThat(believesUnnamed(5)).isTrue();
    assertThat(believes(A, 8, 1)).isFalse();
    assertThat(believes(A, 7, 6)).isTrue();
    assertThat(believesUnnamed(7)).isTrue();
    assertThat(believesUnnamed(6)).isFalse();
    assertThat(believes(A, 8, 8)).as("another than before the unnamed").isFalse();
    assertThat(believes(A, 7, 8)).isTrue();
  }

  /** A leader of a version before fences without saying which term is its. */
  @Test
  void obeysAFenceThatSaysNotWhoseWordItIs() {
    assertThat(believes(A, 7, 3)).isTrue();
    ServerDirective fence = ServerDirective.newBuilder().setFenceIncarnation(1).build();
    assertThat(followed.believes(B, fence, now)).isTrue();
    assertThat(believes(B, 8, 4)).isFalse();
    assertThat(believes(A, 7, 2)).isFalse();
  }

  @Test
  void believesAnotherWhenItsOwnWasNotHeardForTooLong() {
    assertThat(believes(A, 7, 3)).isTrue();
    now += 1_000_000_000;
    followed.heard(now);
    now += PATIENCE - 1;
    assertThat(believes(B, 8, 1)).isFalse();
    now += 1;
    assertThat(believes(B, 8, 1)).isTrue();
    assertThat(followed.problem()).isEmpty();
    assertThat(believes(A, 7, 4)).as("now the other").isFalse();
    assertThat(believes(B, 8, 2)).isTrue();
  }

  @Test
  void believesAnEarlierTermWhenNoLaterOneWasHeardForTooLong() {
    assertThat(believes(A, 7, 30)).isTrue();
    now += PATIENCE;
    assertThat(believes(A, 7, 1)).isTrue();
    assertThat(believes(A, 7, 2)).isTrue();
  }
}
