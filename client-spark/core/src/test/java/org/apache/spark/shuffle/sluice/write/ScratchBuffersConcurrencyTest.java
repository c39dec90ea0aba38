package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class ScratchBuffersConcurrencyTest {
  private static final int TASKS = 4;
  private static final int ROUNDS = 20_000;

  /**
   * With fewer places than buffers come back, so that some find none and some find one just made.
   */
  @Test
  void aBufferIsOneTasksAtATime() throws Exception {
    ScratchBuffers buffers = new ScratchBuffers(64, 1);
    ExecutorService tasks = Executors.newFixedThreadPool(TASKS);
    try {
      List<Future<Integer>> done = new ArrayList<>();
      for (int task = 0; task < TASKS; task++) {
        done.add(tasks.submit(taskOf(buffers, task)));
      }
      for (Future<Integer> undisturbed : done) {
        assertThat(undisturbed.get()).isEqualTo(ROUNDS);
      }
    } finally {
      tasks.shutdownNow();
    }
  }

  /** Answers how often both buffers had what this task wrote. */
  private static Callable<Integer> taskOf(ScratchBuffers buffers, int task) {
    return () -> {
      int undisturbed = 0;
      for (int i = 0; i < ROUNDS; i++) {
        ByteBuffer first = buffers.borrow();
        ByteBuffer second = buffers.borrow();
        first.putInt(0, 2 * task);
        second.putInt(0, 2 * task + 1);
        undisturbed += first.getInt(0) == 2 * task && second.getInt(0) == 2 * task + 1 ? 1 : 0;
        buffers.giveBack(first);
        buffers.giveBack(second);
      }
      return undisturbed;
    };
  }
}
