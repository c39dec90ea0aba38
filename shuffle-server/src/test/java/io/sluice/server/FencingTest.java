package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class FencingTest {
  private final List<Long> lost = new ArrayList<>();
  private final ArrayDeque<Runnable> threads = new ArrayDeque<>();
  private final Fencing fencing = new Fencing(this::rise, threads::add);
  private boolean failing;

  private void rise(long above) {
    lost.add(above);
    if (failing) {
      throw new SluiceException(ErrorCode.DISK_FAILED, "no disk takes it");
    }
  }

  @Test
  void leavesWaitingToAThreadAndNeedsOneAtMost() {
    CompletionStage<Boolean> first = fencing.begin(1);
    CompletionStage<Boolean> second = fencing.begin(2);

    assertThat(lost).isEmpty();
    assertThat(threads).hasSize(1);
    threads.remove().run();
    assertThat(lost).containsExactly(1L);
    assertThat(first).isCompletedWithValue(true);
    assertThat(second).isCompletedWithValue(true);
  }

  @Test
  void obeysTheNextWordWhateverCameOfTheFirst() {
    failing = true;
    CompletionStage<Boolean> first = fencing.begin(1);
    threads.remove().run();
    assertThat(first).isCompletedWithValue(false);
    failing = false;

    CompletionStage<Boolean> second = fencing.begin(1);
    threads.remove().run();
    assertThat(second).isCompletedWithValue(true);
    fencing.begin(7);
    threads.remove().run();

    assertThat(lost).containsExactly(1L, 1L, 7L);
  }
}
