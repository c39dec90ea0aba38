package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a flusher leaves with a store whose staging buffers are all on their way to the disk. */
class StagingWaitTest {
  private static final int BLOCK = 50_000;

  @Test
  void aFlusherThatLooksAgainAndAgainWaitsForABufferOnce() {
    CoreFixture fixture = new CoreFixture(7, 8 * CoreFixture.MIB, 1);
    MemoryStore disk = fixture.stores.get(0);
    disk.writesHang = true;
    TestPeer peer = fixture.connect();
    int handle = peer.open(CoreFixture.shuffle(1), 5);

    for (int map = 0; map < 120; map++) {
      fixture.push(peer, handle, new TestBlock(map % 8, map, map, 0, BLOCK));
      fixture.finish(peer);
    }

    for (int look = 0; look < 20; look++) {
      assertThat(fixture.core.drain()).isNotDone();
      fixture.world.settle();
    }

    assertThat(disk.waits()).isGreaterThan(10);
    assertThat(disk.waiters()).isEqualTo(1);
  }
}
