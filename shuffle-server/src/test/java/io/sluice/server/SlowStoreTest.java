package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.flush.TierLimits;
import io.sluice.server.segment.Tier;
import io.sluice.transport.TransportLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of a store whose writes end, but only after seconds; a server core above it. */
class SlowStoreTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final int BLOCK = 50_000;
  private static final int PARTITIONS = 8;
  private static final int BLOCKS_A_SECOND = 15;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final List<TestBlock> pushed = new ArrayList<>();
  private boolean asked;
  private int refusals;

  private static CoreFixture fixture(Tier... tiers) {
    return new CoreFixture(7, 8 * CoreFixture.MIB, List.of(tiers), TierLimits.defaults());
  }

  private static void slow(CoreFixture fixture, int store, long nanos) {
    fixture.stores.get(store).writer = task -> fixture.world.schedule(nanos, task);
  }

  private static void fast(CoreFixture fixture, int store) {
    fixture.stores.get(store).writer = fixture.world.executor();
  }

  private static boolean isSlow(CoreFixture fixture, int store) {
    return fixture.core.slow(fixture.stores.get(store));
  }

  /** Pushes what there is room for, a second at a time: 750 KB/s at most. */
  private void push(CoreFixture fixture, TestPeer peer, int handle, int seconds) {
    for (int second = 0; second < seconds; second++) {
      for (int i = 0; i < BLOCKS_A_SECOND && hasCredit(fixture, peer); i++) {
        int map = pushed.size();
        TestBlock block = new TestBlock(map % PARTITIONS, map, map, 0, BLOCK);
        fixture.push(peer, handle, block);
        fixture.finish(peer);
        pushed.add(block);
      }
      fixture.world.advance(SECOND);
    }
  }

  private boolean hasCredit(CoreFixture fixture, TestPeer peer) {
    long charge = TransportLimits.charge(BLOCK);
    if (peer.credit < charge && (!asked || peer.refusals.size() > refusals)) {
      asked = true;
      refusals = peer.refusals.size();
      peer.session.readComplete();
      peer.session.want(charge);
      fixture.world.settle();
    }
    asked &= peer.credit < charge;
    return peer.credit >= charge;
  }

  private void assertAllReadable(CoreFixture fixture, TestPeer peer, int handle) {
    TestPeer.Stream stream = fixture.fetchAll(peer, handle, PARTITIONS);
    assertThat(stream.blocks()).containsExactlyInAnyOrderElementsOf(pushed);
  }

  @Test
  void theNextTierTakesWhatComesUntilTheSlowOneIsFastAgain() {
    CoreFixture fixture = fixture(Tier.SSD, Tier.HDFS);
    MemoryStore disk = fixture.stores.get(0);
    MemoryStore hdfs = fixture.stores.get(1);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    push(fixture, peer, handle, 10);
    assertThat(hdfs.payloadBytes).isZero();
    assertThat(disk.payloadBytes).isPositive();

    slow(fixture, 0, 5 * SECOND);
    push(fixture, peer, handle, 10);
    assertThat(isSlow(fixture, 0)).isTrue();
    long onDisk = disk.payloadBytes;
    long onHdfs = hdfs.payloadBytes;
    assertThat(onHdfs).isPositive();
    int blocks = pushed.size();
    push(fixture, peer, handle, 40);

    // All that comes; the disk gets a unit each fifteen seconds, and had two on their way.
    assertThat(pushed.size() - blocks).isEqualTo(40 * BLOCKS_A_SECOND);
    assertThat(hdfs.payloadBytes - onHdfs).isGreaterThan(35L * BLOCKS_A_SECOND * BLOCK);
    assertThat(disk.payloadBytes - onDisk).isBetween(1L, 5L * CoreFixture.UNIT);
    assertThat(peer.refusals).isEmpty();

    fast(fixture, 0);
    push(fixture, peer, handle, 20);
    assertThat(isSlow(fixture, 0)).isFalse();
    onHdfs = hdfs.payloadBytes;
    onDisk = disk.payloadBytes;
    push(fixture, peer, handle, 20);

    assertThat(hdfs.payloadBytes).isEqualTo(onHdfs);
    assertThat(disk.payloadBytes - onDisk).isGreaterThan(17L * BLOCKS_A_SECOND * BLOCK);
    assertAllReadable(fixture, peer, handle);
  }

  @Test
  void whereAllAreSlowTheHighestGoesOn() {
    CoreFixture fixture = fixture(Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    slow(fixture, 0, 5 * SECOND);
    slow(fixture, 1, 5 * SECOND);
    push(fixture, peer, handle, 20);
    assertThat(isSlow(fixture, 0)).isTrue();
    assertThat(isSlow(fixture, 1)).isTrue();
    long onDisk = fixture.stores.get(0).payloadBytes;
    long onHdfs = fixture.stores.get(1).payloadBytes;

    push(fixture, peer, handle, 60);

    // Two units at a time.
    assertThat(fixture.stores.get(0).payloadBytes - onDisk)
        .isGreaterThan(20L * CoreFixture.UNIT * 7 / 8);
    assertThat(fixture.stores.get(1).payloadBytes - onHdfs).isBetween(1L, 5L * CoreFixture.UNIT);
    assertAllReadable(fixture, peer, handle);
  }

  @Test
  void oneThatIsAloneGoesOnAndSaysThatItIsSlow() {
    CoreFixture fixture = fixture(Tier.SSD);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    slow(fixture, 0, 5 * SECOND);

    push(fixture, peer, handle, 60);

    assertThat(isSlow(fixture, 0)).isTrue();
    assertThat(fixture.stores.get(0).payloadBytes).isGreaterThan(20L * CoreFixture.UNIT * 7 / 8);
    fast(fixture, 0);
    push(fixture, peer, handle, 20);
    assertThat(isSlow(fixture, 0)).isFalse();
    assertAllReadable(fixture, peer, handle);
  }

  /** Of many shuffles none fills a unit: eight in four seconds are not many. */
  @Test
  void smallUnitsDoNotPassForFastOnes() {
    CoreFixture fixture = fixture(Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    List<Integer> handles = new ArrayList<>();
    for (int shuffle = 0; shuffle < 200; shuffle++) {
      handles.add(peer.open(CoreFixture.shuffle(shuffle), 5));
    }
    slow(fixture, 0, SECOND * 5 / 4);

    for (int second = 0; second < 30; second++) {
      for (int i = 0; i < BLOCKS_A_SECOND && hasCredit(fixture, peer); i++) {
        int map = pushed.size();
        TestBlock block = new TestBlock(0, map, map, 0, BLOCK);
        fixture.push(peer, handles.get(map % handles.size()), block);
        fixture.finish(peer);
        pushed.add(block);
      }
      fixture.world.advance(SECOND);
    }

    assertThat(fixture.stores.get(0).payloadBytes).isPositive();
    assertThat(isSlow(fixture, 0)).isTrue();
    assertThat(fixture.stores.get(1).payloadBytes).isPositive();
  }

  /** A drain has no use for a unit that is late. */
  @Test
  void aDrainWaitsForNoSlowStoreBesideAnother() {
    CoreFixture fixture = fixture(Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    slow(fixture, 0, 5 * SECOND);
    push(fixture, peer, handle, 10);
    assertThat(isSlow(fixture, 0)).isTrue();
    fixture.world.advance(20 * SECOND);
    slow(fixture, 0, 20 * SECOND);
    peer.close();

    var drained = fixture.core.drain();
    fixture.world.settle();

    assertThat(drained).isCompletedWithValue(true);
  }
}
