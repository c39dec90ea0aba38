package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.junit.jupiter.api.Test;

class RecordMemoryTest {
  private static final long GIB = 1L << 30;

  private static final class Held extends RecordMemory {
    Held(TaskMemoryManager memory) {
      super(memory, new TaskArrays(2, 0));
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) {
      return 0;
    }
  }

  @Test
  void whatSparkGrantsAndTheHeapHasNotIsRefused() {
    long tooMuch = Runtime.getRuntime().maxMemory() / GIB * GIB + GIB;
    TaskMemoryManager memory = TaskMemory.ofBytes(4 * tooMuch);
    Held held = new Held(memory);
    assertThat(held.takePage(tooMuch)).isNull();
    assertThat(held.take((int) (tooMuch / Long.BYTES), 2 * tooMuch)).isNull();
    assertThat(held.getUsed()).isZero();
    assertThat(held.pageBytes()).isZero();

    MemoryBlock page = held.takePage(1 << 20);
    assertThat(page).isNotNull();
    assertThat(held.getUsed()).isEqualTo(1 << 20).isEqualTo(held.pageBytes());
    held.giveBack(page);
    assertThat(held.getUsed()).isZero();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void pagesOffTheHeapAreSparks() {
    TaskMemoryManager memory = TaskMemory.offHeapOfBytes(GIB);
    Held held = new Held(memory);
    MemoryBlock page = held.takePage(1 << 20);
    assertThat(page).isNotNull();
    assertThat(page.getBaseObject()).isNull();
    assertThat(held.getUsed()).isEqualTo(1 << 20);
    held.giveBack(page);
    assertThat(held.takePage(2 * GIB)).isNull();
    assertThat(held.getUsed()).isZero();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }
}
