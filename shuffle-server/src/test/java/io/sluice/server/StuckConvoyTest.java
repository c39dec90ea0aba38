package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Readers of one partition wait for each other, but not for long for one that does not read. One
 * whose connection takes nothing is such a one, also if it waited for the disk when that began.
 */
final class StuckConvoyTest {
  private static final int BLOCKS = 60;
  private static final int LENGTH = 20_000;
  private static final int INCARNATION = 5;

  @Test
  void aConnectionThatTakesNothingHoldsOthersUpForASecond() {
    CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
    fixture.stores.get(0).readerSpread = 64 * 1024;
    TestPeer writer = fixture.connect();
    push(fixture, writer, 0, 0);
    push(fixture, writer, 1, 0);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    ServerCore core = fixture.restarted(new CoreSettings.Reads(16 * 1024, 64));

    TestPeer slow = new TestPeer(core, fixture.world.executor());
    slow.reads = false;
    int handle = push(fixture, slow, 1, 100);
    // In one read of the connection: the disk is asked for the first one's blocks, and the second
    // one's, which are in memory, fill the socket meanwhile.
    slow.fetch(handle, 0, 1, 0, Integer.MAX_VALUE, 1L << 40);
    slow.fetch(handle, 1, 2, 100, Integer.MAX_VALUE, 1L << 40);
    fixture.finish(slow);

    TestPeer fast = new TestPeer(core, fixture.world.executor());
    int fastHandle = fast.open(CoreFixture.shuffle(1), INCARNATION);
    TestPeer.Stream stream = fast.fetch(fastHandle, 0, 1, 0, Integer.MAX_VALUE, 1L << 40);
    fixture.finish(fast);
    assertThat(stream.ended).as("without waiting for the slow one").isFalse();
    fixture.world.advance(TimeUnit.SECONDS.toNanos(3));

    assertThat(stream.ended).isTrue();
  }

  private static int push(CoreFixture fixture, TestPeer peer, int partition, int firstMap) {
    int handle = peer.open(CoreFixture.shuffle(1), INCARNATION);
    for (int i = 0; i < BLOCKS; i++) {
      int map = firstMap + i;
      fixture.push(peer, handle, new TestBlock(partition, map, 1_000 + map, 0, LENGTH));
      fixture.finish(peer);
    }
    return handle;
  }
}
