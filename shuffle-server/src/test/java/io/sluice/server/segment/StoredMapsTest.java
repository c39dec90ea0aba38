package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What all stores of a server hold together. */
class StoredMapsTest {
  private static final ShuffleKey SHUFFLE = TestBlocks.shuffle(1);

  private final SimulatedStore first = new SimulatedStore();
  private final SimulatedStore second = new SimulatedStore();
  private final List<SegmentStore> stores = new ArrayList<>(List.of(first.store(), second.store()));
  private final StoredMaps maps = new StoredMaps(() -> stores);
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
    second.queue().runChores();
    first.queue().runChores();
    first.store().close();
    ask(SHUFFLE);
    second.queue().runChores();

    assertThat(answers).containsExactly(List.of("2/6:1"), List.of("2/6:1"));
  }

  @Test
  void asksForOneShuffleAtATimeAndRefusesTooMany() {
    writeToBoth();
    for (int question = 0; question <= StoredMaps.WAITING_MAX; question++) {
      ask(question % 2 == 0 ? SHUFFLE : TestBlocks.shuffle(2));
    }

    assertThatThrownBy(() -> ask(SHUFFLE))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.TOO_MANY_STREAMS));
    for (int turn = 0; turn <= StoredMaps.WAITING_MAX; turn++) {
      first.queue().runChores();
      second.queue().runChores();
    }

    assertThat(answers).hasSize(StoredMaps.WAITING_MAX + 1);
    for (int question = 0; question <= StoredMaps.WAITING_MAX; question++) {
      // A store that was asked twice at once would have refused, and be missing in the sum.
      assertThat(answers.get(question))
          .isEqualTo(question % 2 == 0 ? List.of("1/5:2", "2/6:1") : List.of());
    }
    ask(TestBlocks.shuffle(2));
    assertThat(answers).hasSize(StoredMaps.WAITING_MAX + 2);
  }

  @Test
  void whoAsksAgainWhenAnsweredDoesNotRecurse() {
    int[] left = {100_000};
    stores.clear();

    askAgain(left);

    assertThat(left[0]).isZero();
  }

  private void askAgain(int[] left) {
    maps.of(
        SHUFFLE,
        tally -> {
          left[0]--;
          if (left[0] > 0) {
            askAgain(left);
          }
        });
  }

  @Test
  void anAnswerThatThrowsKeepsNobodyWaiting() {
    maps.of(
        SHUFFLE,
        tally -> {
          throw new IllegalStateException("told to fail");
        });

    ask(SHUFFLE);

    assertThat(answers).containsExactly(List.of());
  }
}
