package io.sluice.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.damage.LookWait;
import io.sluice.server.segment.Extent;
import io.sluice.transport.DamagedBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a reader gets that tells of damage and asks again at once; and who is not heard. */
class ComplaintTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final int PARTITIONS = 40;
  private static final int STORED = 2_000;
  private static final int BLOCK = BlockHeader.LENGTH + STORED;
  private static final int STORED_LENGTH = 28;
  private static final int ALL = Integer.MAX_VALUE;
  private static final long AMPLE = 1L << 40;

  private final CoreFixture fixture = new CoreFixture(1, 2 * CoreFixture.MIB, 1);
  private final MemoryStore disk = fixture.stores.get(0);
  private final TestPeer peer = fixture.connect();
  private final int handle = peer.open(SHUFFLE, 5);
  private final List<TestBlock> blocks = new ArrayList<>();

  ComplaintTest() {
    for (int map = 0; map < 200; map++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        TestBlock block = new TestBlock(partition, map, 1000 + map, 0, STORED);
        fixture.push(peer, handle, block);
        blocks.add(block);
        fixture.finish(peer);
      }
    }
  }

  private TestPeer.Stream fetch(int first, int end) {
    return peer.fetch(handle, first, end, 0, ALL, AMPLE);
  }

  private void tell(TestPeer.Stream stream, int partition) {
    peer.session.damaged(peer.idOf(stream), DamagedBlock.ofPartition(SHUFFLE, partition));
  }

  private static void assertIsCutOff(TestPeer.Stream stream) {
    assertThat(stream.ended).isTrue();
    assertThatThrownBy(stream::blocks).hasMessageContaining("bad block header");
  }

  private void lose(Extent extent, int first) {
    List<TestBlock> in =
        blocks.stream()
            .filter(block -> block.partition() == extent.partition())
            .filter(block -> block.map() >= extent.firstMap() && block.map() <= extent.lastMap())
            .toList();
    assertThat(in).hasSize(extent.blocks());
    blocks.removeAll(in.subList(first, in.size()));
  }

  /** What lies in one unit is gone from the second block of each extent on. */
  private NavigableSet<Integer> damageUnit() {
    long segment = disk.extents(SHUFFLE, 9).get(1).segment();
    NavigableSet<Integer> damaged = new TreeSet<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (Extent extent : disk.extents(SHUFFLE, partition)) {
        if (extent.segment() == segment) {
          disk.damage(extent, BLOCK, extent.length() - BLOCK);
          lose(extent, 1);
          damaged.add(partition);
        }
      }
    }
    return damaged;
  }

  @Test
  void whoeverAsksAgainAtOnceGetsAllThatIsLeftOfAUnitThatIsGone() {
    NavigableSet<Integer> damaged = damageUnit();
    assertThat(damaged).hasSizeGreaterThan(6);
    TestPeer.Stream first = fetch(0, PARTITIONS);
    fixture.finish(peer);
    assertIsCutOff(first);

    tell(first, damaged.first());
    TestPeer.Stream second = fetch(damaged.first(), PARTITIONS);
    fixture.finish(peer);

    assertThat(second.ended).isTrue();
    assertThat(second.blocks()).containsExactlyInAnyOrderElementsOf(from(damaged.first()));
    assertThat(fixture.core.stats().cutExtents()).isEqualTo(damaged.size());
  }

  @Test
  void severalPartitionsThatAreToldOfTogetherAreAllWaitedFor() {
    for (int partition : new int[] {3, 11, 19}) {
      Extent extent = disk.extents(SHUFFLE, partition).get(partition % 2);
      disk.damage(extent, 0, 4);
      lose(extent, 0);
    }
    TestPeer.Stream first = fetch(0, PARTITIONS);
    fixture.finish(peer);

    tell(first, 19);
    tell(first, 3);
    tell(first, 11);
    TestPeer.Stream second = fetch(3, PARTITIONS);
    fixture.finish(peer);

    assertThat(second.blocks()).containsExactlyInAnyOrderElementsOf(from(3));
  }

  private List<TestBlock> from(int partition) {
    return blocks.stream().filter(block -> block.partition() >= partition).toList();
  }

  @Test
  void aReaderWaitsForALookThatTakesTooLongForAFewSecondsInAll() {
    disk.damage(disk.extents(SHUFFLE, 2).get(1), BLOCK, BlockHeader.LENGTH);
    TestPeer.Stream first = fetch(2, 4);
    fixture.finish(peer);
    disk.readsHang = true;
    tell(first, 2);
    tell(first, 3);
    fixture.world.settle();
    disk.readsHang = false;

    TestPeer.Stream second = fetch(1, 4);
    fixture.finish(peer);
    assertThat(second.ended).isFalse();
    assertThat(second.byPartition).as("what comes before is sent").containsOnlyKeys(1);
    fixture.world.advance(LookWait.MAX_NANOS - 1);
    assertThat(second.ended).isFalse();
    fixture.world.advance(1);

    assertIsCutOff(second);
    assertThat(second.byPartition).as("without another wait").containsOnlyKeys(1, 2, 3);
    disk.endHang();
    fixture.world.settle();
    assertThat(fixture.core.stats().cutExtents()).isEqualTo(1);
  }

  @Test
  void nobodyWaitsWhereAllWasLookedAtLately() {
    TestPeer.Stream stream = fetch(2, 3);
    fixture.finish(peer);
    tell(stream, 2);
    fixture.world.settle();
    disk.readsHang = true;

    tell(stream, 2);
    TestPeer.Stream again = fetch(2, 3);
    fixture.finish(peer);

    assertThat(fixture.core.readBuffers().inUse()).as("it has begun to read").isPositive();
    disk.endHang();
    fixture.world.settle();
    assertThat(again.ended).isTrue();
  }

  @Test
  void aStreamThatIsCancelledOrGoneWhileItWaitsLeavesNothing() {
    TestPeer.Stream stream = fetch(2, 3);
    fixture.finish(peer);
    disk.readsHang = true;
    tell(stream, 2);
    TestPeer.Stream cancelled = fetch(1, 3);
    fixture.finish(peer);
    peer.cancel(cancelled);
    fetch(2, 3);
    fixture.finish(peer);
    peer.close();

    disk.endHang();
    fixture.world.advance(2 * LookWait.MAX_NANOS);

    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }

  @Test
  void aShuffleThatIsRemovedWhileAStreamWaitsFailsIt() {
    TestPeer.Stream stream = fetch(2, 4);
    fixture.finish(peer);
    disk.readsHang = true;
    tell(stream, 3);
    tell(stream, 2);
    TestPeer.Stream waits = fetch(2, 3);
    fixture.finish(peer);
    assertThat(waits.failure).isNull();

    fixture.core.shuffles().remove(SHUFFLE);
    fixture.world.settle();

    assertThat(waits.failure).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
    disk.endHang();
    fixture.world.settle();
    assertThat(fixture.core.tables().extents()).isZero();
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }

  /** The whole of the sparse index would lead them into the block that swallowed the others. */
  @Test
  void readersOfMapRangesGetWhatIsLeftOfAnExtentWithAWrongLength() {
    Extent damaged = disk.extents(SHUFFLE, 5).get(1);
    assertThat(damaged.blocks()).isGreaterThan(8);
    assertThat(damaged.sparseOffsets()).hasSizeGreaterThan(1);
    int length = STORED + damaged.sparseOffsets()[1] + BLOCK / 2;
    disk.overwrite(
        damaged, BLOCK + STORED_LENGTH, ByteBuffer.allocate(4).putInt(0, length).array());
    lose(damaged, 1);
    TestPeer.Stream stream = fetch(5, 6);
    fixture.finish(peer);
    tell(stream, 5);

    List<TestBlock> read = new ArrayList<>();
    for (int map = 0; map < 200; map += 5) {
      TestPeer.Stream part = peer.fetch(handle, 5, 6, map, map + 5, AMPLE);
      fixture.finish(peer);
      assertThat(part.ended).isTrue();
      int first = map;
      part.blocks().stream()
          .filter(block -> block.map() >= first && block.map() < first + 5)
          .forEach(read::add);
    }
    assertThat(read)
        .containsExactlyInAnyOrderElementsOf(
            blocks.stream().filter(block -> block.partition() == 5).toList());
  }

  @Test
  void nobodyIsHeardOfPartitionsThatHeHasNotAskedFor() {
    TestPeer.Stream stream = fetch(2, 4);
    fixture.finish(peer);
    TestPeer.Stream open = peer.fetch(handle, 6, 7, 0, ALL, 0);
    fixture.finish(peer);
    int before = disk.reads;
    for (int partition : new int[] {1, 4, -1, ALL, Integer.MIN_VALUE}) {
      tell(stream, partition);
      tell(open, partition);
    }
    tell(open, 3);
    peer.session.damaged(1000, DamagedBlock.ofPartition(SHUFFLE, 2));
    peer.session.damaged(peer.idOf(stream), DamagedBlock.ofPartition(CoreFixture.shuffle(2), 2));
    fixture.world.settle();
    assertThat(disk.reads).isEqualTo(before);

    tell(open, 6);
    fixture.world.settle();
    int looked = disk.reads;
    assertThat(looked).isGreaterThan(before);
    tell(stream, 3);
    fixture.world.settle();
    assertThat(disk.reads).isGreaterThan(looked);
  }

  @Test
  void whoTellsOfMoreThanAnybodyCanFindIsNotHeardForTenMinutes() {
    TestPeer.Stream stream = fetch(0, 2);
    fixture.finish(peer);
    for (int i = 0; i < 1_000; i++) {
      tell(stream, 0);
    }
    fixture.world.settle();
    int before = disk.reads;

    tell(stream, 1);
    fixture.world.settle();
    assertThat(disk.reads).isEqualTo(before);

    TestPeer other = fixture.connect();
    int open = other.open(SHUFFLE, 5);
    TestPeer.Stream theirs = other.fetch(open, 1, 2, 0, ALL, AMPLE);
    fixture.finish(other);
    before = disk.reads;
    other.session.damaged(other.idOf(theirs), DamagedBlock.ofPartition(SHUFFLE, 1));
    fixture.world.settle();
    assertThat(disk.reads).isGreaterThan(before);

    fixture.world.advance(TimeUnit.MINUTES.toNanos(10) - 1);
    before = disk.reads;
    tell(stream, 0);
    fixture.world.settle();
    assertThat(disk.reads).isEqualTo(before);
    fixture.world.advance(1);
    tell(stream, 0);
    fixture.world.settle();
    assertThat(disk.reads).isGreaterThan(before);
  }

  @Test
  void anExtentThatMissesBlocksOnTheWayToItsEndIsNotCutOff() {
    Extent damaged = disk.extents(SHUFFLE, 5).get(1);
    assertThat(damaged.sparseOffsets()).doesNotContain(2 * BLOCK);
    disk.overwrite(
        damaged, BLOCK + STORED_LENGTH, ByteBuffer.allocate(4).putInt(0, STORED + BLOCK).array());
    TestPeer.Stream stream = fetch(5, 6);
    fixture.finish(peer);
    long held = held(5);
    tell(stream, 5);

    TestPeer.Stream again = fetch(5, 6);
    fixture.finish(peer);

    assertThat(again.saidBlocks).isEqualTo(stream.saidBlocks - 1);
    assertThat(again.bytes()).isEqualTo(stream.bytes());
    assertThat(held(5)).isEqualTo(held);
    assertThat(fixture.core.stats().cutExtents()).isZero();
  }

  private long held(int partition) {
    return requireNonNull(requireNonNull(fixture.core.shuffles().find(SHUFFLE)).find(partition))
        .heldBytes();
  }
}
