package io.sluice.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.segment.Extent;
import io.sluice.transport.DamagedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of an extent whose bytes were damaged on its disk, when readers complain. */
class DamagedExtentTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final int PARTITIONS = 4;
  private static final int STORED = 20_000;
  private static final int BLOCK = BlockHeader.LENGTH + STORED;

  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
  private final MemoryStore disk = fixture.stores.get(0);
  private final TestPeer peer = fixture.connect();
  private final int handle = peer.open(SHUFFLE, 5);
  private final List<TestBlock> blocks = new ArrayList<>();

  private void push(int firstMap, int maps, int attempt) {
    for (int map = firstMap; map < firstMap + maps; map++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        push(new TestBlock(partition, map, 1000 * attempt + map, 0, STORED));
      }
    }
  }

  private void push(TestBlock block) {
    fixture.push(peer, handle, block);
    blocks.add(block);
    fixture.finish(peer);
  }

  /** More than memory holds: most of it is on the disk. */
  private void pushMuch() {
    push(0, 200, 1);
    assertThat(disk.extents(SHUFFLE, 2).size()).isGreaterThan(3);
  }

  private void complain(int partition) {
    tell(peer, partition);
    fixture.world.settle();
  }

  /** Says that a stream brought damage that is not seen any more. */
  private void tell(TestPeer reader, int partition) {
    TestPeer.Stream stream = reader.fetch(handle, partition, partition + 1, 0, 1, 0);
    reader.cancel(stream);
    reader.session.damaged(reader.idOf(stream), DamagedBlock.ofPartition(SHUFFLE, partition));
  }

  /** Readers get over nothing that is no header, and miss all that comes behind it. */
  private void assertPartitionIsCutOff(ServerCore core, int partition) {
    TestPeer reader = new TestPeer(core, fixture.world.executor());
    int open = reader.open(SHUFFLE, 5);
    TestPeer.Stream stream =
        reader.fetch(open, partition, partition + 1, 0, Integer.MAX_VALUE, 1L << 40);
    fixture.finish(reader);
    assertThat(stream.ended).isTrue();
    assertThatThrownBy(stream::blocks).hasMessageContaining("bad block header");
  }

  private List<TestBlock> in(Extent extent) {
    return blocks.stream()
        .filter(block -> block.partition() == extent.partition())
        .filter(block -> block.map() >= extent.firstMap() && block.map() <= extent.lastMap())
        .toList();
  }

  private List<TestBlock> behindTheFirstOf(Extent extent) {
    return in(extent).subList(1, extent.blocks());
  }

  private void assertEverythingIsThere() {
    assertThat(fixture.fetchAll(peer, handle, PARTITIONS).blocks())
        .containsExactlyInAnyOrderElementsOf(blocks);
  }

  @Test
  void whatLiesBehindADamagedHeaderIsReadAfterTheComplaint() {
    pushMuch();
    Extent damaged = disk.extents(SHUFFLE, 2).get(1);
    disk.damage(damaged, BLOCK, BlockHeader.LENGTH);
    assertPartitionIsCutOff(fixture.core, 2);

    complain(2);

    List<TestBlock> lost = behindTheFirstOf(damaged);
    assertThat(lost).hasSize(damaged.blocks() - 1);
    blocks.removeAll(lost);
    assertEverythingIsThere();
    assertThat(fixture.core.stats().cutExtents()).isEqualTo(1);

    // Their maps run again, and their blocks come behind all others.
    lost.forEach(block -> push(new TestBlock(2, block.map(), 2000 + block.map(), 0, STORED)));
    push(500, 200, 3);
    assertEverythingIsThere();
  }

  @Test
  void anExtentWithoutABeginningCountsNoMore() {
    pushMuch();
    Extent damaged = disk.extents(SHUFFLE, 2).get(1);
    long extents = fixture.core.tables().extents();
    long held = held(2);
    disk.damage(damaged, 0, 4);

    complain(2);

    assertThat(fixture.core.tables().extents()).isEqualTo(extents - 1);
    assertThat(held(2)).isEqualTo(held - damaged.length());
    fixture.core.shuffles().remove(SHUFFLE);
    fixture.world.settle();
    assertThat(fixture.core.tables().extents()).isZero();
  }

  @Test
  void ofAnExtentThatIsCutOffItsBeginningCounts() {
    pushMuch();
    Extent damaged = disk.extents(SHUFFLE, 2).get(1);
    long extents = fixture.core.tables().extents();
    long held = held(2);
    disk.damage(damaged, 2 * BLOCK, BlockHeader.LENGTH);

    complain(2);

    assertThat(fixture.core.tables().extents()).isEqualTo(extents);
    assertThat(held(2)).isEqualTo(held - damaged.length() + 2 * BLOCK);
    fixture.core.shuffles().remove(SHUFFLE);
    fixture.world.settle();
    assertThat(fixture.core.tables().extents()).isZero();
  }

  private long held(int partition) {
    return requireNonNull(requireNonNull(fixture.core.shuffles().find(SHUFFLE)).find(partition))
        .heldBytes();
  }

  @Test
  void whateverIsComplainedOfWhatIsIntactStays() {
    pushMuch();
    for (int partition = 0; partition <= PARTITIONS; partition++) {
      complain(partition);
    }
    assertEverythingIsThere();
    assertThat(fixture.core.stats().cutExtents()).isZero();
  }

  @Test
  void partitionsThatAreComplainedOfTogetherAreLookedThroughOneAfterTheOther() {
    pushMuch();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      tell(peer, partition);
    }
    fixture.world.settle();

    // Two at a time would fill one buffer with headers of two partitions.
    assertThat(fixture.core.stats().cutExtents()).isZero();
    assertEverythingIsThere();
  }

  /** It costs readers that block and no other; to take the extent out would cost all of them. */
  @Test
  void anExtentWithADamagedPayloadStays() {
    pushMuch();
    long bytes = fixture.fetchAll(peer, handle, PARTITIONS).bytes();
    Extent damaged = disk.extents(SHUFFLE, 2).get(1);
    disk.damage(damaged, BlockHeader.LENGTH, STORED);

    complain(2);

    assertThat(fixture.fetchAll(peer, handle, PARTITIONS).bytes()).isEqualTo(bytes);
    assertThat(fixture.core.stats().cutExtents()).isZero();
  }

  @Test
  void complaintsCostNoMoreReadsOnceAllWasLookedAt() {
    pushMuch();
    disk.damage(disk.extents(SHUFFLE, 2).get(1), 0, 4);
    int before = disk.reads;
    complain(2);
    int once = disk.reads;
    assertThat(once).isGreaterThan(before);

    for (int i = 0; i < 100; i++) {
      complain(2);
    }

    assertThat(disk.reads).isEqualTo(once);
    push(500, 200, 3);
    complain(2);
    assertThat(disk.reads).as("what was written since is looked at").isGreaterThan(once);
  }

  @Test
  void complaintsThatComeTogetherCostOneLook() {
    pushMuch();
    IntStream.range(0, 100).forEach(i -> tell(peer, 2));
    int before = disk.reads;
    fixture.world.settle();

    // Of 64 KiB each read comes three headers, and 40 bytes more, further.
    int reads =
        disk.extents(SHUFFLE, 2).stream()
            .mapToInt(Extent::blocks)
            .map(blocks -> (blocks + 3) / 4)
            .sum();
    assertThat(disk.reads - before).isEqualTo(reads);
    complain(2);
    assertThat(disk.reads - before).isEqualTo(reads);
  }

  @Test
  void whoReadsTheExtentGoesOnWhenItIsCutOff() {
    pushMuch();
    Extent damaged = disk.extents(SHUFFLE, 2).get(1);
    disk.damage(damaged, BLOCK, BlockHeader.LENGTH);
    long bytes = held(2);
    TestPeer.Stream stream =
        peer.fetch(handle, 2, 3, 0, Integer.MAX_VALUE, bytes - damaged.length());
    fixture.finish(peer);
    assertThat(stream.ended).isFalse();

    complain(2);
    assertThat(fixture.core.stats().cutExtents()).isEqualTo(1);
    peer.addCredit(stream, 1L << 40);
    fixture.finish(peer);

    assertThat(stream.ended).isTrue();
    assertThat(stream.bytes()).isEqualTo(bytes);
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }

  @Test
  void anExtentThatCannotBeReadStaysAndIsLookedAtAgain() {
    pushMuch();
    Extent damaged = disk.extents(SHUFFLE, 2).get(1);
    disk.damage(damaged, BLOCK, BlockHeader.LENGTH);
    disk.readsToFail = Integer.MAX_VALUE;
    disk.readFailure = ErrorCode.DISK_FAILED;
    complain(2);
    assertThat(fixture.core.stats().cutExtents()).isZero();

    disk.readsToFail = 0;
    complain(2);

    assertThat(fixture.core.stats().cutExtents()).isEqualTo(1);
    blocks.removeAll(behindTheFirstOf(damaged));
    assertEverythingIsThere();
  }

  @Test
  void afterARestartItIsFoundByTheNextComplaint() {
    pushMuch();
    disk.damage(disk.extents(SHUFFLE, 2).get(1), BLOCK, BlockHeader.LENGTH);
    complain(2);

    ServerCore restarted = fixture.restarted();
    assertPartitionIsCutOff(restarted, 2);
    TestPeer reader = new TestPeer(restarted, fixture.world.executor());
    assertThat(reader.open(SHUFFLE, 5)).isEqualTo(handle);
    tell(reader, 2);
    fixture.world.settle();

    assertThat(restarted.stats().cutExtents()).isEqualTo(1);
  }
}
