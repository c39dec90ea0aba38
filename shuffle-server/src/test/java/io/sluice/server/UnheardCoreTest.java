package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import org.junit.jupiter.api.Test;

/** What writers are told while coordinators do not hear the server that they push to. */
class UnheardCoreTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final String NEWS = "COORDINATOR_UNAVAILABLE: no coordinator hears this server";

  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
  private final TestPeer peer = fixture.connect();
  private final int handle = peer.open(SHUFFLE, 5);
  private int blocks;

  @Test
  void areToldBesideTheirBlocksWhichAreTakenAllTheSame() {
    push(handle, 3);
    assertThat(peer.explanations).isEmpty();
    fixture.core.unheard(1);
    push(handle, 3);
    assertThat(peer.explanations).containsExactly(NEWS);
    push(handle, 3);
    assertThat(peer.explanations).as("once").hasSize(1);
    fixture.core.unheard(2);
    push(handle, 3);
    assertThat(peer.explanations).as("and when it lasts").hasSize(2);
    fixture.core.unheard(0);
    push(handle, 3);
    assertThat(peer.explanations).hasSize(2);

    assertThat(peer.nacked).isEmpty();
    assertThat(peer.acked).hasSize(15);
  }

  @Test
  void areToldOfEachShuffleThatTheyPush() {
    int other = peer.open(CoreFixture.shuffle(2), 5);
    fixture.core.unheard(1);
    push(handle, 2);
    push(other, 2);
    assertThat(peer.explanations).containsExactly(NEWS, NEWS);
  }

  @Test
  void areToldOfBlocksThatComeInPartsToo() {
    fixture.core.unheard(1);
    assertThat(peer.pushInParts(handle, new TestBlock(0, 0, 0, 0, 5000), 777)).isTrue();
    fixture.finish(peer);
    assertThat(peer.explanations).containsExactly(NEWS);
  }

  private void push(int to, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(peer.push(to, new TestBlock(0, blocks, blocks, 0, 100))).isTrue();
      blocks++;
    }
    fixture.finish(peer);
  }
}
