package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {
  private final Pace pace = new Pace();

  private void write(int blocks) {
    for (int i = 0; i < blocks; i++) {
      pace.written();
    }
  }

  @Test
  void oneIsDueForEachHundredBlocks() throws Exception {
    write(3 * Pace.BLOCKS_OF_LOAD - 1);
    assertThat(pace.next()).isTrue();
    assertThat(pace.next()).isTrue();
    ExecutorService waiting = Executors.newSingleThreadExecutor();
    try {
      Future<Boolean> third = waiting.submit(pace::next);
      assertThat(third.isDone()).isFalse();
      write(1);
      assertThat(third.get(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      waiting.shutdownNow();
    }
  }

  @Test
  void noneIsDueOnceTheLoadIsWritten() throws Exception {
    write(10 * Pace.BLOCKS_OF_LOAD);
    pace.end();

    assertThat(pace.next()).isFalse();
  }

  @Test
  void theEndIsHeardByWhoWaits() throws Exception {
    ExecutorService waiting = Executors.newSingleThreadExecutor();
    try {
      Future<Boolean> next = waiting.submit(pace::next);
      pace.end();
      assertThat(next.get(20, TimeUnit.SECONDS)).isFalse();
    } finally {
      waiting.shutdownNow();
    }
  }
}
