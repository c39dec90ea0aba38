package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.TableBudget;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ServerCoreTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);

  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
  private final TestPeer peer = fixture.connect();

  @Test
  void returnsWhatWasPushedWholeOrInParts() {
    int handle = peer.open(SHUFFLE, 5);
    List<TestBlock> blocks = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      TestBlock block = new TestBlock(i % 3, i % 7, 10 + i % 7, i / 7, i * 131);
      blocks.add(block);
      assertThat(i % 4 == 0 ? peer.pushInParts(handle, block, 1000) : peer.push(handle, block))
          .isTrue();
      if (i % 5 == 0) {
        peer.session.readComplete();
      }
    }
    fixture.finish(peer);
    assertThat(peer.acked).containsExactlyElementsOf(blocks);
    assertThat(peer.credit).isEqualTo(CoreFixture.SEED);

    TestPeer.Stream stream = fixture.fetchAll(peer, handle, 100);
    assertThat(stream.blocks()).containsExactlyInAnyOrderElementsOf(blocks);
    assertThat(stream.ended).isTrue();
    assertThat(stream.saidBlocks).isEqualTo(blocks.size());
    assertThat(stream.saidBytes).isEqualTo(stream.bytes());
    assertThat(fixture.stores.get(0).segments()).isZero();
  }

  @Test
  void restrictsAFetchToItsMaps() {
    int handle = peer.open(SHUFFLE, 5);
    for (int map = 0; map < 10; map++) {
      peer.push(handle, new TestBlock(0, map, map, 0, 100));
    }
    TestPeer.Stream stream = peer.fetch(handle, 0, 1, 3, 6, 1 << 20);
    fixture.finish(peer);
    assertThat(stream.blocks()).extracting(TestBlock::map).containsExactly(3, 4, 5);
    assertThat(stream.saidBlocks).isEqualTo(3);
  }

  @Test
  void sendsNoByteBeyondTheReadersCredit() {
    int handle = peer.open(SHUFFLE, 5);
    peer.push(handle, new TestBlock(0, 0, 0, 0, 10_000));
    fixture.finish(peer);
    TestPeer.Stream stream = peer.fetch(handle, 0, 1, 0, Integer.MAX_VALUE, 100);
    fixture.finish(peer);
    assertThat(stream.bytes()).isEqualTo(100);
    assertThat(stream.ended).isFalse();
    peer.addCredit(stream, 20_000);
    fixture.finish(peer);
    assertThat(stream.bytes()).isEqualTo(10_040);
    assertThat(stream.ended).isTrue();
  }

  @Test
  void refusesBlocksOfAStaleIncarnation() {
    int handle = peer.open(SHUFFLE, 4);
    peer.push(handle, new TestBlock(0, 0, 0, 0, 10));
    peer.pushInParts(handle, new TestBlock(0, 1, 0, 0, 5000), 777);
    fixture.finish(peer);
    assertThat(peer.nacked.values())
        .containsExactly(ErrorCode.STALE_INCARNATION, ErrorCode.STALE_INCARNATION);
    assertThat(peer.credit).isEqualTo(CoreFixture.SEED);
    assertThat(fixture.core.arena().chunkBytes()).isZero();
  }

  @Test
  void refusesBlocksAfterTheServerTookANewIncarnation() {
    int handle = peer.open(SHUFFLE, 5);
    peer.push(handle, new TestBlock(0, 0, 0, 0, 10));
    fixture.identity = new ServerIdentity(fixture.identity.id(), 6);
    peer.push(handle, new TestBlock(0, 0, 0, 1, 10));
    fixture.finish(peer);
    assertThat(peer.acked).hasSize(1);
    assertThat(peer.nacked.values()).containsExactly(ErrorCode.STALE_INCARNATION);
    assertThat(fixture.fetchAll(peer, handle, 1).blocks()).hasSize(1);
  }

  @Test
  void takesBlocksForEveryLifeOfWhichNothingIsLost() {
    fixture.identity = new ServerIdentity(fixture.identity.id(), 7, 5);
    for (int incarnation = 4; incarnation <= 8; incarnation++) {
      peer.push(peer.open(SHUFFLE, incarnation), new TestBlock(0, incarnation, 0, 0, 10));
    }
    fixture.finish(peer);

    assertThat(peer.acked).hasSize(3);
    assertThat(peer.nacked.values())
        .containsExactly(ErrorCode.STALE_INCARNATION, ErrorCode.STALE_INCARNATION);
  }

  @Test
  void answersWantsThatWaitWhenItBeginsToDrain() {
    while (fixture.core.credit().wants() == 0) {
      TestPeer greedy = fixture.connect();
      greedy.session.want(fixture.core.arena().budget().free());
      fixture.world.settle();
    }
    peer.session.want(4096);
    fixture.world.settle();
    assertThat(fixture.core.credit().wants()).isEqualTo(2);

    CompletableFuture<Void> settled = fixture.core.decommission(true);
    fixture.world.settle();

    assertThat(settled).isCompleted();
    assertThat(peer.refusals).containsExactly(ErrorCode.DRAINING);
    peer.session.want(4096);
    assertThat(peer.refusals).hasSize(2);
    assertThat(fixture.core.credit().wants()).isZero();
  }

  private <T> CompletableFuture<T> settled(CompletableFuture<T> future) {
    fixture.world.settle();
    return future;
  }

  @Test
  void takesBlocksAgainWhenADecommissionIsTakenBackButNotWhenItStops() {
    int handle = peer.open(SHUFFLE, 5);
    assertThat(settled(fixture.core.decommission(true))).isCompleted();
    peer.push(handle, new TestBlock(0, 0, 0, 0, 10));
    fixture.finish(peer);
    assertThat(peer.nacked.values()).containsExactly(ErrorCode.DRAINING);

    assertThat(settled(fixture.core.decommission(false))).isCompleted();
    peer.push(handle, new TestBlock(0, 0, 0, 1, 10));
    fixture.finish(peer);
    assertThat(peer.acked).hasSize(1);
    assertThat(settled(fixture.core.drain())).isCompletedWithValue(true);
    assertThat(settled(fixture.core.decommission(false))).isCompleted();
    peer.push(handle, new TestBlock(0, 0, 0, 2, 10));
    fixture.finish(peer);

    assertThat(peer.nacked.values())
        .containsExactlyInAnyOrder(ErrorCode.DRAINING, ErrorCode.SHUTTING_DOWN);
  }

  @Test
  void neverAnswersAnUnknownShuffleAsAnEmptyOne() {
    TestPeer.Stream now = fixture.fetchAll(peer, peer.open(SHUFFLE, 5), 10);
    assertThat(now.failure).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
    TestPeer.Stream before = fixture.fetchAll(peer, peer.open(SHUFFLE, 4), 10);
    assertThat(before.failure).isEqualTo(ErrorCode.STALE_INCARNATION);
  }

  @Test
  void refusesACorruptBlockAndStoresTheNext() {
    int handle = peer.open(SHUFFLE, 5);
    TestBlock bad = new TestBlock(0, 0, 0, 0, 100);
    ByteBuffer bytes = bad.bytes();
    bytes.put(77, (byte) ~bytes.get(77));
    peer.pushRegardless(handle, bad, bytes);
    peer.push(handle, new TestBlock(0, 0, 0, 1, 100));
    fixture.finish(peer);
    assertThat(peer.nacked).containsEntry(bad, ErrorCode.CORRUPT_BLOCK);
    assertThat(fixture.fetchAll(peer, handle, 1).blocks()).hasSize(1);
  }

  @Test
  void refusesPartitionsNoEngineHas() {
    int handle = peer.open(SHUFFLE, 5);
    peer.push(handle, new TestBlock(Integer.MAX_VALUE, 0, 0, 0, 10));
    peer.pushInParts(handle, new TestBlock(1 << 20, 0, 0, 0, 10), 5);
    fixture.finish(peer);
    assertThat(peer.nacked.values())
        .containsExactly(ErrorCode.INVALID_ARGUMENT, ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void rejectsAPushBeyondCredit() {
    int handle = peer.open(SHUFFLE, 5);
    TestBlock large = new TestBlock(0, 0, 0, 0, (int) CoreFixture.SEED);
    assertThatThrownBy(() -> peer.pushRegardless(handle, large, large.bytes()))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CREDIT_EXCEEDED));
  }

  @Test
  void removesAShuffleForGood() {
    int handle = peer.open(SHUFFLE, 5);
    peer.push(handle, new TestBlock(0, 0, 0, 0, 10));
    fixture.finish(peer);
    fixture.core.shuffles().remove(SHUFFLE);
    fixture.core.shuffles().remove(SHUFFLE);
    assertThat(fixture.core.arena().chunkBytes()).isZero();
    assertThat(fixture.fetchAll(peer, handle, 1).failure).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);

    TestBlock late = new TestBlock(0, 0, 0, 1, 10);
    peer.push(handle, late);
    fixture.finish(peer);
    assertThat(peer.nacked).containsEntry(late, ErrorCode.UNKNOWN_SHUFFLE);
    assertThat(fixture.core.shuffles().all()).isEmpty();
  }

  @Test
  void keepsWhatAReaderHasOnLeaseAfterRemoval() {
    int handle = peer.open(SHUFFLE, 5);
    peer.push(handle, new TestBlock(0, 0, 0, 0, 10_000));
    peer.reads = false;
    TestPeer.Stream stream = fixture.fetchAll(peer, handle, 1);
    fixture.core.shuffles().remove(SHUFFLE.application());
    assertThat(fixture.core.arena().chunkBytes()).isPositive();
    assertThat(stream.blocks()).hasSize(1);
    peer.drain();
    assertThat(fixture.core.arena().chunkBytes()).isZero();
  }

  @Test
  void dropsAHalfReceivedBlockWithItsConnection() {
    int handle = peer.open(SHUFFLE, 5);
    peer.begin(handle, new TestBlock(0, 0, 0, 0, 30_000));
    assertThat(fixture.core.arena().chunkBytes()).isPositive();
    peer.close();
    assertThat(fixture.core.arena().chunkBytes()).isZero();
    assertFreeButForSeeds();
  }

  @Test
  void flushesToStayBelowItsMarksAndReadsEverythingBack() {
    int handle = peer.open(SHUFFLE, 5);
    List<TestBlock> blocks = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; bytes < 24 * CoreFixture.MIB; i++) {
      TestBlock block = new TestBlock(i % 20, i % 50, i % 50, i / 50, 1 + i * 7919 % 60_000);
      fixture.push(peer, handle, block);
      blocks.add(block);
      bytes += block.length();
      fixture.finish(peer);
    }
    assertThat(fixture.stores.get(0).payloadBytes).isGreaterThan(16 * CoreFixture.MIB);
    assertThat(fixture.core.arena().chunkBytes()).isLessThan(5 * CoreFixture.MIB);
    TestPeer.Stream all = fixture.fetchAll(peer, handle, 20);
    assertThat(all.blocks()).containsExactlyInAnyOrderElementsOf(blocks);
    assertThat(all.saidBlocks).isEqualTo(blocks.size());
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }

  @Test
  void flushesOnAfterABugWhileStagingOrFilling() {
    MemoryStore store = fixture.stores.get(0);
    store.stagesToBreak = 1;
    store.extentsToBreak = 3;
    int handle = peer.open(SHUFFLE, 5);
    List<TestBlock> blocks = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      TestBlock block = new TestBlock(i % 10, i, i, 0, 50_000);
      fixture.push(peer, handle, block);
      blocks.add(block);
      fixture.finish(peer);
    }
    assertThat(store.payloadBytes).as("while the disk is paused").isZero();
    fixture.world.advance(10_000_000_000L);
    assertThat(store.stagesToBreak + store.extentsToBreak).isZero();
    assertThat(store.payloadBytes).isPositive();
    assertThat(store.staged()).isZero();
    assertThat(fixture.fetchAll(peer, handle, 10).blocks())
        .containsExactlyInAnyOrderElementsOf(blocks);
  }

  @Test
  void writesNoTinyUnitsBecauseOthersHoldCredit() {
    MemoryStore store = fixture.stores.get(0);
    List<TestPeer> holders = new ArrayList<>();
    long spare;
    while ((spare = fixture.core.arena().budget().free() - 2 * CoreFixture.UNIT) > 0) {
      TestPeer holder = fixture.connect();
      holders.add(holder);
      holder.session.want(spare);
      fixture.world.settle();
    }

    int handle = peer.open(SHUFFLE, 5);
    for (int i = 0; i < 12; i++) {
      push(handle, i);
    }
    assertThat(fixture.core.arena().chunkBytes()).isLessThan(CoreFixture.UNIT / 4);
    assertThat(store.units).as("while almost all memory is only promised").isEmpty();

    for (int i = 12; i < 300; i++) {
      push(handle, i);
    }
    assertThat(store.units).isNotEmpty();
    assertThat(store.payloadBytes / store.units.size())
        .as("bytes of a unit")
        .isGreaterThan(CoreFixture.UNIT / 3);
    assertThat(holders).allMatch(holder -> holder.reclaimAsked > 0);
  }

  private void push(int handle, int map) {
    fixture.push(peer, handle, new TestBlock(0, map, map, 0, 3_000));
    fixture.finish(peer);
  }

  @Test
  void writesWhatLittleThereIsForAWantThatStarves() {
    int first = peer.open(SHUFFLE, 5);
    push(first, 0);
    TestPeer holder = fixture.connect();
    holder.session.want(2 * CoreFixture.MIB);
    fixture.world.settle();
    MemoryBudget budget = fixture.core.arena().budget();
    long headroom = fixture.core.credit().limits().headroomBytes(budget.capacity());
    while (budget.free() > headroom) {
      TestPeer greedy = fixture.connect();
      greedy.session.want(budget.free() - headroom);
      fixture.world.settle();
    }
    holder.session.want(4096);
    fixture.world.settle();
    assertThat(fixture.stores.get(0).units).isEmpty();
    long before = holder.granted;
    fixture.world.advance(1_000_000_000L);
    assertThat(fixture.stores.get(0).units).hasSize(1);
    assertThat(holder.granted).isGreaterThan(before);
  }

  @Test
  void paysForTablesByWhatIsThereNotByHowItIsNumbered() {
    int handle = peer.open(SHUFFLE, 5);
    fixture.push(peer, handle, new TestBlock((1 << 20) - 1, 0, 0, 0, 10));
    fixture.finish(peer);
    assertThat(fixture.core.tables().used()).isBetween(1_000L, 20_000L);
    assertThat(fixture.fetchAll(peer, handle, 1 << 20).blocks()).hasSize(1);
    fixture.core.shuffles().remove(SHUFFLE);
    assertThat(fixture.core.tables().used()).isZero();
  }

  @Test
  void refusesNewBlocksWhenItsTablesAreFull() {
    long tables = 64 * 1024;
    CoreFixture small = new CoreFixture(1, 8 * CoreFixture.MIB, 1, tables);
    TestPeer client = small.connect();
    int handle = client.open(SHUFFLE, 5);
    // Another application's, so that neither has all that one may.
    ShuffleKey other = new ShuffleKey(ApplicationId.of(9, 9), 1, 0);
    int others = client.open(other, 5);
    int pushed = 0;
    while (client.nacked.isEmpty()) {
      small.push(client, pushed % 2 == 0 ? handle : others, new TestBlock(pushed / 2, 0, 0, 0, 10));
      pushed++;
      small.finish(client);
    }
    assertThat(client.nacked.values()).containsExactly(ErrorCode.NO_MEMORY);
    assertThat(pushed).isBetween(50, 128);
    assertThat(small.core.tables().used()).isLessThan(tables + tables / 10);
    client.pushInParts(handle, new TestBlock(0, 1, 0, 0, 5_000), 1_000);
    small.finish(client);
    assertThat(client.nacked).hasSize(2).containsValue(ErrorCode.NO_MEMORY);
    int stored =
        small.fetchAll(client, handle, pushed).blocks().size()
            + small.fetchAll(client, others, pushed).blocks().size();
    assertThat(stored).isEqualTo(pushed - 1);

    small.core.shuffles().remove(SHUFFLE);
    small.push(client, client.open(CoreFixture.shuffle(2), 5), new TestBlock(0, 0, 0, 0, 10));
    small.finish(client);
    assertThat(client.nacked).hasSize(2);
  }

  @Test
  void countsExtentsUntilTheirShuffleGoes() {
    int handle = peer.open(SHUFFLE, 5);
    for (int i = 0; i < 200; i++) {
      fixture.push(peer, handle, new TestBlock(i % 10, i, i, 0, 50_000));
      fixture.finish(peer);
    }
    long withoutExtents = TableBudget.SHUFFLE_BYTES + 10 * TableBudget.PARTITION_BYTES + 1024;
    assertThat(fixture.stores.get(0).units).isNotEmpty();
    assertThat(fixture.core.tables().used())
        .isGreaterThan(withoutExtents + TableBudget.EXTENT_BYTES);
    fixture.core.shuffles().remove(SHUFFLE.application());
    fixture.world.settle();
    assertThat(fixture.core.tables().used()).isZero();
  }

  @Test
  void takesNoMoreBlocksWhileItDrainsButLetsReadersGoOn() {
    int handle = peer.open(SHUFFLE, 5);
    TestBlock early = new TestBlock(0, 0, 0, 0, 5_000);
    fixture.push(peer, handle, early);
    peer.begin(handle, new TestBlock(0, 1, 0, 0, 5_000));
    CompletableFuture<Boolean> drained = fixture.core.drain();
    peer.session.blockEnd(true);
    peer.push(handle, new TestBlock(0, 2, 0, 0, 10));
    fixture.finish(peer);
    assertThat(peer.nacked.values())
        .containsExactly(ErrorCode.SHUTTING_DOWN, ErrorCode.SHUTTING_DOWN);
    assertThat(drained).isCompletedWithValue(true);
    assertThat(fixture.core.arena().chunkBytes()).isZero();
    assertThat(fixture.fetchAll(peer, handle, 1).blocks()).containsExactly(early);
  }

  private void assertFreeButForSeeds() {
    assertThat(fixture.core.arena().budget().free())
        .isEqualTo(8 * CoreFixture.MIB - 8 * CoreFixture.SEED);
  }

  @Test
  void countsTheDamageThatReadersReport() {
    TestPeer peer = fixture.connect();
    peer.session.damaged(0, DamagedBlock.ofPartition(CoreFixture.shuffle(1), 7));
    assertThat(fixture.core.stats().damageReports()).isEqualTo(1);
  }

  @Test
  void knowsHowManyExtentsThereAre() {
    TestPeer peer = fixture.connect();
    int handle = peer.open(CoreFixture.shuffle(1), fixture.identity.incarnation());
    fixture.push(peer, handle, new TestBlock(0, 0, 0, 0, 1_000));
    fixture.push(peer, handle, new TestBlock(5, 0, 0, 0, 1_000));
    fixture.finish(peer);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);

    assertThat(fixture.core.tables().extents()).isEqualTo(2);
    fixture.core.shuffles().remove(CoreFixture.shuffle(1));
    assertThat(fixture.core.tables().extents()).isZero();
  }
}
