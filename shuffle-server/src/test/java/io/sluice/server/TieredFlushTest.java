package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.flush.TierLimits;
import io.sluice.server.segment.Tier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which store gets what, with a whole server core above the stores. */
class TieredFlushTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final int BLOCK = 50_000;
  private static final long GIB = 1 << 30;

  private final List<TestBlock> pushed = new ArrayList<>();
  private int nextMap;

  private CoreFixture fixture(TierLimits tiers, Tier... disks) {
    return new CoreFixture(7, 8 * CoreFixture.MIB, List.of(disks), tiers);
  }

  /** Far more than memory holds, spread over partitions or all to one. */
  private void push(CoreFixture fixture, TestPeer peer, int handle, int blocks, int partitions) {
    for (int i = 0; i < blocks; i++) {
      TestBlock block = new TestBlock(i % partitions, nextMap, nextMap, 0, BLOCK);
      nextMap++;
      fixture.push(peer, handle, block);
      pushed.add(block);
      fixture.finish(peer);
    }
  }

  private void assertAllReadable(CoreFixture fixture, TestPeer peer, int handle) {
    TestPeer.Stream stream = fixture.fetchAll(peer, handle, 64);
    assertThat(stream.blocks()).containsExactlyInAnyOrderElementsOf(pushed);
  }

  @Test
  void lowerTiersStayEmptyWhileTheHighestIsFit() {
    CoreFixture fixture = fixture(TierLimits.defaults(), Tier.SSD, Tier.HDD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);

    push(fixture, peer, handle, 400, 8);

    assertThat(fixture.stores.get(0).payloadBytes).isPositive();
    assertThat(fixture.stores.get(1).payloadBytes).isZero();
    assertThat(fixture.stores.get(2).payloadBytes).isZero();
    assertAllReadable(fixture, peer, handle);
  }

  @Test
  void extentsFallThroughCrowdedTiersAndStayWhereTheyAre() {
    CoreFixture fixture = fixture(TierLimits.defaults(), Tier.SSD, Tier.HDD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    push(fixture, peer, handle, 300, 8);
    long onSsd = fixture.stores.get(0).payloadBytes;

    fixture.stores.get(0).free = GIB / 20;
    push(fixture, peer, handle, 300, 8);
    long onHdd = fixture.stores.get(1).payloadBytes;
    fixture.stores.get(1).free = GIB / 20;
    push(fixture, peer, handle, 300, 8);

    assertThat(fixture.stores.get(0).payloadBytes).isEqualTo(onSsd).isPositive();
    assertThat(fixture.stores.get(1).payloadBytes).isEqualTo(onHdd).isPositive();
    assertThat(fixture.stores.get(2).payloadBytes).isPositive();
    assertAllReadable(fixture, peer, handle);
  }

  @Test
  void aDiskThatHasRoomAgainTakesAgainOnlyWellBelowItsWatermark() {
    CoreFixture fixture = fixture(TierLimits.defaults(), Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    fixture.stores.get(0).free = GIB / 20;
    push(fixture, peer, handle, 200, 8);
    assertThat(fixture.stores.get(0).payloadBytes).isZero();

    fixture.stores.get(0).free = GIB / 100 * 12;
    push(fixture, peer, handle, 200, 8);
    assertThat(fixture.stores.get(0).payloadBytes).isZero();

    fixture.stores.get(0).free = GIB / 100 * 20;
    push(fixture, peer, handle, 200, 8);
    assertThat(fixture.stores.get(0).payloadBytes).isPositive();
    assertAllReadable(fixture, peer, handle);
  }

  @Test
  void theNextTierTakesOverFromADiskThatHangsAsSoonAsItIsFenced() {
    CoreFixture fixture = fixture(TierLimits.defaults(), Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    MemoryStore disk = fixture.stores.get(0);
    MemoryStore hdfs = fixture.stores.get(1);
    disk.writesHang = true;
    // More than what flushing starts at: no push will wake anybody afterwards.
    push(fixture, peer, handle, 110, 8);
    assertThat(hdfs.payloadBytes).isZero();

    disk.fenced = true;
    fixture.core.flushIfDue();
    fixture.world.settle();

    assertThat(disk.payloadBytes).isZero();
    assertThat(hdfs.payloadBytes).isPositive();
    assertAllReadable(fixture, peer, handle);
  }

  @Test
  void aFailingDiskIsPassedByUntilItsPauseIsOver() {
    CoreFixture fixture = fixture(TierLimits.defaults(), Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    // As many as are under way at once.
    fixture.stores.get(0).writesToFail = 2;

    push(fixture, peer, handle, 300, 8);
    assertThat(fixture.stores.get(0).payloadBytes).isZero();
    assertThat(fixture.stores.get(1).payloadBytes).isPositive();

    fixture.stores.get(0).writesToFail = 0;
    fixture.world.advance(4_000_000_000L);
    push(fixture, peer, handle, 300, 8);
    assertThat(fixture.stores.get(0).payloadBytes).isPositive();
    assertAllReadable(fixture, peer, handle);
  }

  @Test
  void whereAllAreCrowdedTheHighestGoesOn() {
    CoreFixture fixture = fixture(TierLimits.defaults(), Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    fixture.stores.forEach(store -> store.free = GIB / 10 - 1);

    push(fixture, peer, handle, 300, 8);

    assertThat(fixture.stores.get(0).payloadBytes).isPositive();
    assertThat(fixture.stores.get(1).payloadBytes).isZero();
    assertAllReadable(fixture, peer, handle);
  }

  @Test
  void aHugePartitionGoesOnInTheLowestTierAndLeavesTheHighestToOthers() {
    CoreFixture fixture = fixture(new TierLimits(0.9, 2 * CoreFixture.MIB), Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);

    push(fixture, peer, handle, 400, 1);

    long hugeOnSsd = fixture.stores.get(0).payloadBytes;
    assertThat(hugeOnSsd).isBetween(2 * CoreFixture.MIB, 3 * CoreFixture.MIB);
    assertThat(fixture.stores.get(1).payloadBytes).isGreaterThan(8 * CoreFixture.MIB);
    long hugeOnHdfs = fixture.stores.get(1).payloadBytes;

    for (int i = 0; i < 40; i++) {
      TestBlock block = new TestBlock(1 + i % 31, nextMap, nextMap, 0, BLOCK);
      nextMap++;
      fixture.push(peer, handle, block);
      pushed.add(block);
    }
    fixture.finish(peer);
    peer.close();
    var drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    assertThat(fixture.stores.get(0).payloadBytes).isGreaterThan(hugeOnSsd);
    assertThat(fixture.stores.get(1).payloadBytes).isGreaterThan(hugeOnHdfs);
  }

  @Test
  void whoTakesHugePartitionsInTheLowestTiersPlaceNeedsNoPushToBegin() {
    TierLimits tiers = new TierLimits(0.9, 2 * CoreFixture.MIB);
    CoreFixture fixture = fixture(tiers, Tier.SSD, Tier.HDD, Tier.HDFS);
    MemoryStore hdd = fixture.stores.get(1);
    MemoryStore hdfs = fixture.stores.get(2);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    push(fixture, peer, handle, 200, 1);
    assertThat(hdfs.payloadBytes).isPositive();
    List<Runnable> underWay = new ArrayList<>();
    hdfs.writer = underWay::add;
    push(fixture, peer, handle, 70, 1);
    assertThat(underWay).isNotEmpty();
    assertThat(hdd.payloadBytes).isZero();

    hdfs.free = GIB / 20;
    underWay.forEach(Runnable::run);
    fixture.world.settle();

    assertThat(hdd.payloadBytes).isPositive();
    assertAllReadable(fixture, peer, handle);
  }

  /** Nothing more comes, and so nothing else wakes a store that has nothing to do. */
  private static void drains(CoreFixture fixture, MemoryStore busy, Runnable meanwhile) {
    List<Runnable> underWay = new ArrayList<>();
    busy.writer = underWay::add;
    var drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(underWay).isNotEmpty();
    assertThat(drained).isNotDone();

    meanwhile.run();
    busy.writer = fixture.world.executor();
    underWay.forEach(Runnable::run);
    fixture.world.settle();

    assertThat(drained).isCompletedWithValue(true);
  }

  @Test
  void drainsToTheHighestTierWhatALowerOneLeavesThatGoesOnWithHugePartitions() {
    TierLimits tiers = new TierLimits(0.9, 2 * CoreFixture.MIB);
    CoreFixture fixture = fixture(tiers, Tier.SSD, Tier.HDFS);
    MemoryStore ssd = fixture.stores.get(0);
    MemoryStore hdfs = fixture.stores.get(1);
    ssd.free = GIB / 20;
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    push(fixture, peer, handle, 60, 8);

    drains(fixture, hdfs, () -> hdfs.free = GIB / 20);

    assertThat(ssd.payloadBytes).isPositive();
  }

  @Test
  void drainsHugePartitionsToALowerTierWhenTheHighestGoesOnWithOthers() {
    TierLimits tiers = new TierLimits(0.9, 2 * CoreFixture.MIB);
    CoreFixture fixture = fixture(tiers, Tier.SSD, Tier.HDFS);
    MemoryStore ssd = fixture.stores.get(0);
    MemoryStore hdfs = fixture.stores.get(1);
    hdfs.free = GIB / 20;
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    push(fixture, peer, handle, 200, 1);
    assertThat(ssd.payloadBytes).isGreaterThan(2 * CoreFixture.MIB);
    assertThat(hdfs.payloadBytes).isZero();

    drains(fixture, ssd, () -> ssd.free = GIB / 20);

    assertThat(hdfs.payloadBytes).isPositive();
  }

  @Test
  void drainsToALowerTierWhatIsLeftOfAPartitionThatBecomesHugeMeanwhile() {
    TierLimits tiers = new TierLimits(0.9, CoreFixture.UNIT);
    CoreFixture fixture = fixture(tiers, Tier.SSD, Tier.HDFS);
    MemoryStore ssd = fixture.stores.get(0);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    push(fixture, peer, handle, 60, 1);
    assertThat(ssd.payloadBytes).isZero();

    drains(fixture, ssd, () -> {});

    assertThat(fixture.stores.get(1).payloadBytes).isPositive();
  }

  @Test
  void drainsAlthoughEachOfTwoStoresTookTheOtherForTheOneThatTakes() {
    CoreFixture fixture = fixture(TierLimits.defaults(), Tier.SSD, Tier.HDFS);
    MemoryStore ssd = fixture.stores.get(0);
    ssd.free = GIB / 20;
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    push(fixture, peer, handle, 60, 8);
    // After its own look, and before the other store's.
    ssd.looked = () -> ssd.free = GIB / 2;
    var drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isNotDone();

    fixture.world.advance(1_000_000_000L);

    assertThat(drained).isCompletedWithValue(true);
    assertThat(ssd.payloadBytes).isPositive();
  }

  @Test
  void drainsToALowerTierWhenTheHighestFails() {
    CoreFixture fixture = fixture(TierLimits.defaults(), Tier.SSD, Tier.HDFS);
    TestPeer peer = fixture.connect();
    int handle = peer.open(SHUFFLE, 5);
    push(fixture, peer, handle, 20, 4);
    fixture.stores.get(0).writesToFail = 1;
    long before = fixture.stores.get(1).payloadBytes;

    var drained = fixture.core.drain();
    fixture.world.settle();

    assertThat(drained).isCompletedWithValue(true);
    assertThat(fixture.stores.get(1).payloadBytes).isGreaterThan(before);
  }
}
