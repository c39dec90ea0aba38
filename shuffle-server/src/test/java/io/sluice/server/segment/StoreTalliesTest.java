package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What all stores of a server hold together. */
class StoreTalliesTest {
  private static final ShuffleKey SHUFFLE = TestBlocks.shuffle(1);

  private final SimulatedStore first = new SimulatedStore();
  private final SimulatedStore second = new SimulatedStore();
  private final List<SegmentStore> stores = new ArrayList<>(List.of(first.store(), second.store()));
  private final StoreTallies maps = new StoreTallies(() -> stores, 1 << 20);
  private final List<List<String>> answers = new ArrayList<>();

  private void ask(ShuffleKey shuffle) {
    maps.of(shuffle, tally -> answers.add(TestBlocks.whole(tally, 0)));
  }

  private static void write(SimulatedStore store, int partition, TestBlocks.Of... blocks) {
    StoreDriver.await(store.startWrite(1, unit -> TestBlocks.stage(unit, partition, 100, blocks)));
  }

  /** Map 1 is on both, map 2 on the second alone. */
  private void writeToBoth() {
    write(first, 0, new TestBlocks.Of(1, 5, 0, false));
    write(first, 2, new TestBlocks.Of(1, 5, 0, true));
    write(second, 0, new TestBlocks.Of(1, 5, 1, true), new TestBlocks.Of(2, 6, 0, true));
  }

  @Test
  void sumsOverStores() {
    writeToBoth();

    ask(SHUFFLE);
    first.queue().runChores();
    assertThat(answers).isEmpty();
    second.queue().runChores();

    assertThat(answers).containsExactly(List.of("1/5:2", "2/6:1"));
  }

  @Test
  void aStoreThatFailsAddsNothing() {
    writeToBoth();
    first.catalog().failScans(1);

    ask(SHUFFLE);
    first.queue().runChores();
    second.queue().runChores();
    first.store().close();
    ask(SHUFFLE);
    second.queue().runChores();

    assertThat(answers).containsExactly(List.of("2/6:1"), List.of("2/6:1"));
  }

  /** Two tallies are in memory at most. */
  @Test
  void asksOneStoreAfterTheOther() {
    writeToBoth();
    ask(SHUFFLE);
    second.queue().runChores();
    assertThat(answers).isEmpty();
    first.queue().runChores();
    assertThat(answers).isEmpty();
    second.queue().runChores();
    assertThat(answers).hasSize(1);
  }

  @Test
  void manyStoresThatAnswerAtOnceDoNotRecurse() {
    stores.clear();
    for (int i = 0; i < 20_000; i++) {
      stores.add(first.store());
    }
    first.store().close();
    ask(SHUFFLE);
    assertThat(answers).containsExactly(List.of());
  }
}
