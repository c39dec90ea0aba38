package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.lifecycle.ShuffleRegistry;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.partition.TableNeed;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.segment.TestBlocks;
import io.sluice.server.segment.UnitBuilder;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is taken up of other servers leaves room in the tables, and none of it is taken up else. */
class AdoptedExtentsTest {
  private static final int SHUFFLES = 3;

  /** At the edges of pages, and where the directory of pages has grown several times. */
  private static final int[] PARTITIONS = {0, 1, 255, 256, 5_000, 100_000, (1 << 20) - 1};

  private final MemoryStore store = new MemoryStore("adopted", 1 << 20, Runnable::run);

  AdoptedExtentsTest() {
    for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
      int partitions = PARTITIONS.length - shuffle;
      write(shuffle, partitions);
      write(shuffle, partitions - 2);
    }
  }

  private void write(int shuffle, int partitions) {
    UnitBuilder unit =
        Objects.requireNonNull(store.tryStage(CoreFixture.shuffle(shuffle), () -> {}));
    for (int i = 0; i < partitions; i++) {
      // Large enough for an index.
      TestBlocks.stage(unit, PARTITIONS[i], 8, 4_000);
    }
    store.write(unit, (extents, failure) -> assertThat(failure).isNull());
  }

  private static ShuffleRegistry registry(TableBudget tables) {
    return new ShuffleRegistry(1 << 20, List.of(), tables, new Quotas(QuotaLimits.NONE));
  }

  @Test
  void takeWhatWasSaidThatTheyWould() {
    TableBudget tables = new TableBudget(1 << 30);

    registry(tables).adopt(store);

    assertThat(tables.extents()).isEqualTo((7 + 6 + 5) + (5 + 4 + 3));
    assertThat(tables.used()).isEqualTo(TableNeed.of(store.recovered()));
  }

  @Test
  void leaveAQuarterOfTheTablesToWhoPushes() {
    long need = TableNeed.of(store.recovered());
    TableBudget tables = new TableBudget(4 * need);
    ShuffleRegistry registry = registry(tables);
    long others = 2 * need + 1;
    tables.take(others);

    assertThat(registry.roomToAdopt()).isEqualTo(need - 1);
    assertThat(registry.adoptIfRoom(store)).isFalse();

    assertThat(tables.used()).isEqualTo(others);
    assertThat(registry.stores()).isEmpty();
    assertThat(registry.all()).isEmpty();
    tables.giveBack(1);
    assertThat(registry.adoptIfRoom(store)).isTrue();
    assertThat(registry.stores()).containsExactly(store);
    assertThat(registry.roomToAdopt()).isZero();
  }
}
