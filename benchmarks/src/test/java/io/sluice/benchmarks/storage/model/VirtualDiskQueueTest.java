package io.sluice.benchmarks.storage.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.disk.DiskOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class VirtualDiskQueueTest {
  private static final long MIB = 1 << 20;

  private final VirtualTime time = new VirtualTime();
  private final Spindle spindle = new Spindle(time, SeekRule.jumps);
  private final VirtualDiskQueue queue = new VirtualDiskQueue(time, spindle, DiskOptions.ssd());
  private final FileLayout file = new FileLayout(spindle);

  @Test
  void tasksWaitForTheSpindleOneAfterTheOther() {
    List<Long> ends = new ArrayList<>();
    CompletableFuture<Void> both = new CompletableFuture<>();
    for (int i = 0; i < 2; i++) {
      queue.write(
          () -> {
            spindle.await(file.write(file.length(), MIB));
            ends.add(time.nanoTime());
            if (ends.size() == 2) {
              both.complete(null);
            }
          });
    }
    time.runUntil(both);

    long first = Spindle.cost(true, MIB);
    assertThat(ends).containsExactly(first, first + Spindle.cost(false, MIB));
  }

  @Test
  void othersRunWhileATaskWaits() {
    List<String> order = new ArrayList<>();
    CompletableFuture<Void> written = new CompletableFuture<>();
    queue.write(
        () -> {
          order.add("begins");
          spindle.await(file.write(0, MIB));
          order.add("ends");
          written.complete(null);
        });
    time.schedule(1, () -> order.add("meanwhile"));
    time.runUntil(written);

    assertThat(order).containsExactly("begins", "meanwhile", "ends");
  }

  @Test
  void closingLetsWhatWaitsEnd() {
    List<Long> ends = new ArrayList<>();
    queue.read(
        () -> {
          spindle.await(file.write(0, MIB));
          ends.add(time.nanoTime());
        });
    queue.close();

    assertThat(ends).hasSize(1);
    assertThat(queue.read(() -> {})).isFalse();
  }

  @Test
  void waitingForWhatNeverComesIsAnError() {
    assertThatThrownBy(() -> time.runUntil(new CompletableFuture<>()))
        .isInstanceOf(IllegalStateException.class);
  }
}
