package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a store says of map attempts after kills, of old units, and while things happen to it. */
class UnitTalliesTest {
  private static final ShuffleKey SHUFFLE = TestBlocks.shuffle(1);
  private static final int LENGTH = 3000;

  private final SimulatedStore store = new SimulatedStore();

  private CompletableFuture<MapTally> start() {
    return store.driver().startTally(SHUFFLE);
  }

  private List<String> whole() {
    CompletableFuture<MapTally> tally = start();
    store.queue().runChores();
    return TestBlocks.whole(StoreDriver.await(tally), 0);
  }

  private Extent write(int partition, TestBlocks.Of... blocks) {
    return StoreDriver.await(
            store.startWrite(1, unit -> TestBlocks.stage(unit, partition, LENGTH, blocks)))
        .get(0);
  }

  @Test
  void whatAKillToreIsNotWholeAndTheRestIs() {
    write(0, new TestBlocks.Of(1, 5, 0, true), new TestBlocks.Of(2, 6, 0, false));
    Extent second = write(0, new TestBlocks.Of(2, 6, 1, true));
    assertThat(whole()).containsExactly("1/5:1", "2/6:1");
    store.disk().cut(store.file(second, 1), (int) second.offset() + 10);

    store.crash();

    assertThat(store.store().lostUnits()).isEqualTo(1);
    assertThat(whole()).containsExactly("1/5:1");
    write(0, new TestBlocks.Of(2, 6, 1, true));
    assertThat(whole()).containsExactly("1/5:1", "2/6:1");
  }

  @Test
  void aCatalogMadeAnewTellsTheSame() {
    write(0, new TestBlocks.Of(1, 5, 0, true), new TestBlocks.Of(2, 6, 0, false));
    write(3, new TestBlocks.Of(1, 5, 0, true));
    store.catalog().lose();

    store.crash();

    assertThat(store.store().recovery().replayedUnits()).isEqualTo(2);
    assertThat(whole()).containsExactly("1/5:2");
  }

  /** Puts an old unit where a server of that time would have left it. */
  private ByteBuffer leaveOldUnit(long segment) throws IOException {
    ByteBuffer unit = OldUnit.of(SHUFFLE, segment, 300, 2, LENGTH);
    try (DiskFile file = store.disk().create(new SegmentFileName(segment, SHUFFLE).path())) {
      file.write(unit.duplicate(), 0);
    }
    return unit;
  }

  @Test
  void unitsOfVersion1AreServedAndTellNothing() throws IOException {
    write(0, new TestBlocks.Of(0, 1000, 0, true), new TestBlocks.Of(9, 9, 0, true));
    // Once found on the disk, once in the catalog.
    leaveOldUnit(70);
    ByteBuffer catalogued = leaveOldUnit(71);
    store.catalog().put(71, 0, catalogued.limit(catalogued.getInt(8)));

    for (int start = 0; start < 2; start++) {
      store.crash();

      assertThat(store.store().recovery().replayedUnits()).isEqualTo(start == 0 ? 1 : 0);
      List<Extent> old = store.recovered(1).stream().filter(e -> e.partition() == 300).toList();
      assertThat(old).extracting(Extent::segment).containsExactlyInAnyOrder(70L, 71L);
      for (Extent extent : old) {
        assertThat(store.read(extent)).isEqualTo(TestBlocks.extent(300, 2, LENGTH));
      }
      // Map 0 has blocks in three partitions, of which one is told of: who knows that can tell.
      assertThat(whole()).containsExactly("0/1000:1", "9/9:1");
    }
  }

  @Test
  void aUnitThatIsOnItsWayIsNotCounted() {
    long segment = write(0, new TestBlocks.Of(1, 5, 0, true)).segment();
    // Its record is there, but it may still be given up.
    store.catalog().scan(segment, (same, offset, it) -> store.catalog().put(same, 1 << 19, it));

    assertThat(whole()).containsExactly("1/5:1");
  }

  @Test
  void aShuffleRemovedMeanwhileEndsItsTallyAndIsUnlinked() {
    write(0, new TestBlocks.Of(1, 5, 0, true));
    CompletableFuture<MapTally> tally = start();

    store.store().remove(SHUFFLE);
    store.queue().runChores();

    assertThat(TestBlocks.whole(StoreDriver.await(tally), 0)).isEmpty();
    assertThat(store.disk().files()).isEmpty();
    assertThat(whole()).isEmpty();
  }

  @Test
  void aSegmentStaysWhileItsRecordsAreRead() {
    write(0, new TestBlocks.Of(1, 5, 0, true));
    CompletableFuture<MapTally> tally = start();
    List<Integer> unlinking = new ArrayList<>();
    store
        .catalog()
        .duringNextScan(
            () -> {
              store.store().remove(SHUFFLE);
              unlinking.add(store.store().activity().unlinking());
            });

    store.queue().runChores();

    assertThat(unlinking).containsExactly(0);
    assertThat(tally).isCompleted();
    assertThat(store.disk().files()).isEmpty();
  }

  @Test
  void talliesOneShuffleAtATime() {
    write(0, new TestBlocks.Of(1, 5, 0, true));
    CompletableFuture<MapTally> first = start();

    assertThatThrownBy(() -> StoreDriver.await(start()))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.TOO_MANY_STREAMS));
    store.queue().runChores();

    assertThat(first).isCompleted();
    assertThat(whole()).containsExactly("1/5:1");
  }

  @Test
  void aCatalogThatCannotBeReadFailsTheTallyAndNotTheNext() {
    write(0, new TestBlocks.Of(1, 5, 0, true));
    store.catalog().failScans(1);
    CompletableFuture<MapTally> tally = start();
    store.queue().runChores();

    assertThatThrownBy(() -> StoreDriver.await(tally))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
    assertThat(whole()).containsExactly("1/5:1");
  }

  @Test
  void whoWaitsWhenTheStoreClosesHears() {
    write(0, new TestBlocks.Of(1, 5, 0, true));
    CompletableFuture<MapTally> tally = start();

    store.store().close();

    assertThat(tally).isCompleted();
    assertThatThrownBy(() -> StoreDriver.await(start()))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.SHUTTING_DOWN));
  }

  @Test
  void aUnitOfMoreAttemptsThanItsHeaderHasRoomForIsWrittenAndTellsNothing() {
    int blocks = 1500;
    TestBlocks.Of[] many = new TestBlocks.Of[blocks];
    for (int map = 0; map < blocks; map++) {
      many[map] = new TestBlocks.Of(map, map, 0, true);
    }
    List<Extent> written =
        StoreDriver.await(store.startWrite(1, unit -> TestBlocks.stage(unit, 0, 1, many)));

    assertThat(written).extracting(Extent::blocks).containsExactly(blocks);
    CompletableFuture<MapTally> tally = start();
    store.queue().runChores();
    assertThat(StoreDriver.await(tally).attempts()).isZero();
    store.crash();
    assertThat(store.recovered(1)).extracting(Extent::blocks).containsExactly(blocks);
  }
}
