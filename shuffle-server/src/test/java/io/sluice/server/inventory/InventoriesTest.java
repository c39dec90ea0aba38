package io.sluice.server.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.segment.MapTally;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What answers take of memory, and what becomes of it where a reader fails. */
class InventoriesTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 2), 3, 0);

  @Test
  void takesAnEighthOfTheTablesBudgetWithinBounds() {
    assertThat(Inventories.maxAttempts(32 << 20)).isEqualTo(29_959);
    assertThat(Inventories.maxAttempts(1 << 20)).isEqualTo(4096);
    assertThat(Inventories.maxAttempts(1L << 40)).isEqualTo(1 << 20);
  }

  @Test
  void attemptsBeyondTheBoundAreNotThere() {
    MapTally tally = new MapTally(2);
    for (int map = 0; map < 5; map++) {
      tally.add(map, 7, 1, 1, 1);
    }
    List<Integer> whole = new ArrayList<>();
    tally.forEachWhole(0, (map, attempt, lasts) -> whole.add(map));
    assertThat(whole).containsExactly(0, 1);
  }

  /** There are four places for pages: none of them is lost with a reader that fails. */
  @Test
  void aReaderThatFailsKeepsNobodyWaiting() {
    List<Runnable> tasks = new ArrayList<>();
    Inventories inventories = new Inventories(List::of, 1 << 20, tasks::add);
    List<InventoryPage> taken = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      inventories.ask(SHUFFLE, 0, new Taking(taken, i < 5));
    }
    while (!tasks.isEmpty()) {
      try {
        tasks.remove(0).run();
      } catch (IllegalStateException told) {
        assertThat(told).hasMessage("told to fail");
      }
    }
    assertThat(taken).hasSize(1);
  }

  @Test
  void whoDoesNotReadItsPageKeepsOnlyItsOwnApplicationWaiting() {
    MapTally tally = new MapTally(1);
    tally.add(0, 7, 1, 1, 1);
    Inventories inventories =
        new Inventories((shuffle, callback) -> callback.accept(tally), Runnable::run);
    List<InventoryPage> unread = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      inventories.ask(SHUFFLE, 0, new Taking(unread, false));
    }
    assertThat(unread).hasSize(1);
    List<InventoryPage> others = new ArrayList<>();
    inventories.ask(new ShuffleKey(ApplicationId.of(1, 3), 3, 0), 0, new Taking(others, false));
    assertThat(others).hasSize(1);
    unread.remove(0).close();
    assertThat(unread).as("the next of the application's own").hasSize(1);
  }

  private record Taking(List<InventoryPage> taken, boolean fails) implements Inventories.Reader {
    @Override
    public boolean isThere() {
      return true;
    }

    @Override
    public void take(InventoryPage page) {
      if (fails) {
        page.close();
        throw new IllegalStateException("told to fail");
      }
      taken.add(page);
    }
  }
}
