package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Streams that read side by side, and end in the middle: others go on, and nothing stays. */
class BrokenOffConvoyTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final int BLOCKS = 100;
  private static final int BLOCK = 10_000;

  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
  private final TestPeer fast = fixture.connect();
  private final TestPeer slow = fixture.connect();
  private int fastHandle;
  private int slowHandle;

  @BeforeEach
  void spillOnePartition() {
    fixture.stores.get(0).readerSpread = 3 * BLOCK;
    fastHandle = fast.open(SHUFFLE, fixture.identity.incarnation());
    slowHandle = slow.open(SHUFFLE, fixture.identity.incarnation());
    for (int map = 0; map < BLOCKS; map++) {
      fixture.push(fast, fastHandle, new TestBlock(0, map, map, 0, BLOCK));
    }
    fixture.finish(fast);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
  }

  private TestPeer.Stream fetch(TestPeer peer, int handle, long credit) {
    TestPeer.Stream stream = peer.fetch(handle, 0, 1, 0, Integer.MAX_VALUE, credit);
    fixture.finish(peer);
    return stream;
  }

  private TestPeer.Stream stuckBehind() {
    // Begun first, and without credit to go on with, it is who the other one waits for.
    TestPeer.Stream stuck = fetch(slow, slowHandle, BLOCK / 2);
    TestPeer.Stream waiting = fetch(fast, fastHandle, 1L << 40);
    assertThat(waiting.ended).isFalse();
    assertThat(fixture.core.convoys().size()).isEqualTo(1);
    assertThat(stuck.ended).isFalse();
    return waiting;
  }

  private void assertWhole(TestPeer.Stream stream) {
    fixture.finish(fast);
    assertThat(stream.blocks()).hasSize(BLOCKS);
    assertNothingStays();
  }

  private void assertNothingStays() {
    assertThat(fixture.core.convoys().size()).isZero();
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }

  @Test
  void whoIsCancelledIsNotWaitedFor() {
    TestPeer.Stream waiting = stuckBehind();
    slow.session.fetchCancel(0);
    fixture.world.settle();
    assertWhole(waiting);
  }

  @Test
  void whoseConnectionEndsIsNotWaitedFor() {
    TestPeer.Stream waiting = stuckBehind();
    slow.close();
    fixture.world.settle();
    assertWhole(waiting);
  }

  @Test
  void whoWaitsMayLeaveToo() {
    stuckBehind();
    fast.session.fetchCancel(0);
    slow.close();
    fixture.world.settle();
    assertNothingStays();
  }

  @Test
  void aRemovedShuffleEndsThemAll() {
    TestPeer.Stream waiting = stuckBehind();
    fixture.core.shuffles().remove(SHUFFLE);
    slow.session.fetchCredit(0, 1L << 40);
    fixture.finish(slow);
    fixture.world.advance(10_000_000_000L);
    fixture.finish(fast);
    assertThat(waiting.failure).isNotNull();
    assertNothingStays();
  }
}
