package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.World;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A disk that others have filled to its last byte, and whose catalog takes nothing any more. */
class FullDiskTest {
  private static final long PROBE = TimeUnit.MILLISECONDS.toNanos(500);

  /** With 20 of them a unit is full. */
  private static final int LENGTH = 3000;

  private static final int MAPS = 20;

  private final World world = new World(1);
  private final SimulatedStore store =
      new SimulatedStore(
          new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SimulatedStore.OPTIONS, world);

  private void probe(int times) {
    for (int i = 0; i < times; i++) {
      world.advance(PROBE);
      store.queue().runChores();
    }
  }

  /** Four shuffles of a unit each, and no room for another one. */
  private List<Extent> fill() {
    List<Extent> extents = new ArrayList<>();
    long used = 0;
    for (int shuffle = 1; shuffle <= 4; shuffle++) {
      Extent extent = store.write(shuffle, 1, MAPS, LENGTH);
      extents.add(extent);
      used += store.disk().length(store.file(extent, shuffle));
    }
    store.disk().grow(used);
    store.catalog().stick(0);
    assertThatThrownBy(() -> store.write(5, 1, MAPS, LENGTH))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.NO_DISK_SPACE));
    return extents;
  }

  /** Their readers have gone. */
  private void removeAllButTheFirst() {
    for (int shuffle = 2; shuffle <= 4; shuffle++) {
      store.store().remove(TestBlocks.shuffle(shuffle));
    }
    store.queue().runChores();
  }

  @Test
  void makesRoomByWhatIsRemovedAndHeals() {
    Extent kept = fill().get(0);
    probe(10);
    assertThat(store.store().health().healthy()).isFalse();

    removeAllButTheFirst();

    assertThat(store.disk().files()).containsExactly(store.file(kept, 1));
    assertThat(store.catalog().units()).as("takes nothing").isEqualTo(4);
    assertThat(store.store().activity().unlinking()).isEqualTo(3);
    probe(2);
    assertThat(store.store().health().healthy()).isTrue();
    assertThat(store.catalog().units()).isEqualTo(1);
    assertThat(store.store().activity().unlinking()).isZero();
    Extent after = store.write(6, 1, MAPS, LENGTH);
    assertThat(store.read(kept)).isEqualTo(TestBlocks.extent(1, MAPS, LENGTH));
    assertThat(store.read(after)).isEqualTo(TestBlocks.extent(1, MAPS, LENGTH));
    store.restart();
    assertThat(store.store().lostUnits()).isZero();
    assertThat(store.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(kept));
  }

  @Test
  void aCrashBeforeTheCatalogHasHeardLeavesNothingAndGivesNoNumberTwice() {
    List<Extent> before = fill();
    removeAllButTheFirst();
    store.catalog().probe(); // as a new process that opens it

    store.crash();

    assertThat(store.recovered(1)).usingRecursiveComparison().isEqualTo(before.subList(0, 1));
    for (int shuffle = 2; shuffle <= 4; shuffle++) {
      assertThat(store.recovered(shuffle)).isEmpty();
    }
    assertThat(store.store().lostUnits()).as("nobody can tell").isEqualTo(3);
    assertThat(store.catalog().units()).isEqualTo(1);
    Extent after = store.write(2, 1, MAPS, LENGTH);
    assertThat(after.segment()).isGreaterThan(before.get(3).segment());
    store.crash();
    assertThat(store.store().lostUnits()).isZero();
    assertThat(store.read(after)).isEqualTo(TestBlocks.extent(1, MAPS, LENGTH));
  }

  @Test
  void aStoreThatIsClosedInOrderStrikesOutWhatItHasUnlinked() {
    store.write(1, 1, MAPS, LENGTH);
    store.catalog().stick(0);
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();
    assertThat(store.disk().files()).isEmpty();
    assertThat(store.catalog().units()).isEqualTo(1);
    probe(2);

    store.restart();

    assertThat(store.store().lostUnits()).isZero();
    assertThat(store.catalog().units()).isZero();
  }

  /** Nothing is written meanwhile that would say so. */
  @Test
  void aCatalogThatFailsAtARemovalIsOpenedAgain() {
    store.write(1, 1, MAPS, LENGTH);
    store.catalog().stick(0);
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();
    assertThat(store.disk().files()).isEmpty();
    assertThat(store.store().health().healthy()).isFalse();

    probe(2);
    assertThat(store.store().health().healthy()).isTrue();
    assertThat(store.catalog().units()).isZero();
    assertThat(store.store().activity().unlinking()).isZero();
  }

  /** It takes everything else, and a fence would fall and rise again with each try. */
  @Test
  void aRemovalThatMeetsADamagedRecordFencesNoDisk() {
    store.write(1, 1, MAPS, LENGTH);
    store.catalog().corruptRemovals(1);
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();

    assertThat(store.store().activity().fences()).isZero();
    assertThat(store.store().activity().unlinking()).isEqualTo(1);
    probe(4);
    assertThat(store.store().activity().unlinking()).isZero();
    assertThat(store.catalog().units()).isZero();
  }

  /** Where nothing but removals is written, as on a full disk, nobody else would open it again. */
  @Test
  void aCatalogThatTakesNothingSinceItMetDamageIsOpenedAgainByTheNextRemoval() {
    store.write(1, 1, MAPS, LENGTH);
    store.catalog().stickOfDamage();
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();

    probe(4);
    assertThat(store.store().activity().fences()).isZero();
    assertThat(store.store().activity().unlinking()).isZero();
    assertThat(store.catalog().units()).isZero();
  }

  @Test
  void unlinkingGoesOnAfterABugInOpeningTheCatalogAgainAndTheDiskSaysSo() {
    store.write(1, 1, MAPS, LENGTH);
    store.write(2, 1, MAPS, LENGTH);
    store.catalog().stickOfDamage();
    store.catalog().breakProbes(1);
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();
    assertThat(store.store().health().problem()).contains("simulated bug");

    store.store().remove(TestBlocks.shuffle(2));
    store.queue().runChores();
    probe(4);

    assertThat(store.store().health().healthy()).isTrue();
    assertThat(store.disk().files()).isEmpty();
    assertThat(store.catalog().units()).isZero();
    assertThat(store.store().activity().unlinking()).isZero();
  }

  @Test
  void unlinkingGoesOnAfterABugInWhoIsToldThatTheCatalogFailed() {
    store.write(1, 1, MAPS, LENGTH);
    store.write(2, 1, MAPS, LENGTH);
    store.catalog().stick(0);
    store
        .store()
        .onHealthChange(
            () -> {
              throw new IllegalStateException("simulated bug");
            });
    store.store().remove(TestBlocks.shuffle(1));
    store.queue().runChores();

    store.store().remove(TestBlocks.shuffle(2));
    store.queue().runChores();

    assertThat(store.disk().files()).isEmpty();
    probe(4);
    assertThat(store.store().health().healthy()).as("is probed all the same").isTrue();
    assertThat(store.catalog().units()).isZero();
  }
}
