package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.World;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.SimulatedDisk;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A unit that a disk takes when its writer has been told that it did not. */
class LateUnitTest {
  private static final int LENGTH = 3000;

  private final World world = new World(1);
  private final SimulatedStore store =
      new SimulatedStore(
          new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SimulatedStore.OPTIONS, world);

  private void probe(int times) {
    for (int i = 0; i < times; i++) {
      world.advance(TimeUnit.MILLISECONDS.toNanos(500));
      store.queue().runChores();
    }
  }

  /** Whoever read by its record would read the other one's bytes. */
  @Test
  void powerLossDoesNotBringItsRecordBackToAPlaceThatIsAnothersByThen() {
    Extent before = store.write(1, 1, 2, LENGTH);
    store.catalog().duringNextPut(() -> world.advance(TimeUnit.SECONDS.toNanos(31)));
    CompletableFuture<List<Extent>> late =
        store.startWrite(1, unit -> TestBlocks.stage(unit, 2, 2, LENGTH));
    assertThat(late).isCompletedExceptionally();
    probe(5);
    Extent after = store.write(1, 3, 2, LENGTH);
    assertThat(after.segment()).isEqualTo(before.segment());

    store.catalog().losePower();
    store.crash();

    assertThat(store.recovered(1)).usingRecursiveComparison().isEqualTo(List.of(before, after));
  }
}
