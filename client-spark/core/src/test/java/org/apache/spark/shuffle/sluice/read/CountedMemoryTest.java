package org.apache.spark.shuffle.sluice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers in Spark's real memory, shared by two tasks. */
@Timeout(60)
class CountedMemoryTest {
  private static final long MIB = 1 << 20;
  private static final long ALL = 64 * MIB;
  private static final long CREDIT = 16 * MIB;
  private static final long LEAST = ClientConfig.LEAST_READER_CREDIT_BYTES;
  private static final long MUCH = 1L << 40;
  private static final long ATTEMPT = 7;

  private final UnifiedMemoryManager executor =
      new UnifiedMemoryManager(new SparkConf(false), ALL, 0, 2);
  private final TaskMemoryManager task = new TaskMemoryManager(executor, ATTEMPT);
  private final TaskMemoryManager otherTask = new TaskMemoryManager(executor, ATTEMPT + 1);

  // By operators of the task.
  private long hoarded;

  @AfterEach
  void nothingIsLeft() {
    assertThat(task.cleanUpAllAllocatedMemory()).as("what the task's end finds").isZero();
  }

  @Test
  void countsCreditAndWhatIsHeldAndGivesBackExactlyThat() {
    CountedMemory memory = memory(MUCH);
    assertThat(memory.credit(CREDIT)).isEqualTo(CREDIT);
    assertCounted(CREDIT);
    memory.held(3 * MIB);
    memory.held(MIB);
    assertCounted(CREDIT + 4 * MIB);
    memory.held(-2 * MIB);
    assertCounted(CREDIT + 2 * MIB);
    memory.close();
    assertCounted(0);
    memory.held(-2 * MIB);
    memory.held(MIB);
    memory.close();
    assertCounted(0);
  }

  @Test
  void countsNoMoreThanThereIsToRead() {
    try (CountedMemory few = memory(3 * MIB);
        CountedMemory none = memory(0)) {
      assertThat(few.credit(CREDIT)).isEqualTo(CREDIT);
      assertCounted(3 * MIB);
      assertThat(none.credit(CREDIT)).isEqualTo(CREDIT);
      assertCounted(3 * MIB + LEAST);
    }
  }

  @Test
  void takesWhatIsLeftOfTheTasksPartAndMakesNobodySpill() {
    Hoard operator = new Hoard(task);
    operator.take(ALL / 2 - 5 * MIB);
    CountedMemory memory = memory(MUCH);

    assertThat(memory.credit(CREDIT)).isEqualTo(5 * MIB);
    memory.held(MIB);
    assertThat(task.getMemoryConsumptionForThisTask()).isEqualTo(ALL / 2);
    assertThat(operator.asked).as("times that it was asked to spill").isZero();
    memory.held(-MIB);
    assertThat(memory.getUsed()).isEqualTo(5 * MIB);

    memory.close();
    operator.giveBackAll();
  }

  /** As with resource profiles, which nobody tells executors of. */
  @Test
  void makesNobodySpillWhereMoreTasksAreAtWorkThanAreKnown() {
    Hoard other = new Hoard(otherTask);
    other.take(MIB);
    Hoard operator = new Hoard(task);
    operator.take(ALL / 2 - 5 * MIB);
    CountedMemory memory = memory(MUCH, 1);

    assertThat(memory.credit(CREDIT)).as("what Spark grants one of two").isEqualTo(5 * MIB);
    memory.held(MIB);
    assertThat(task.getMemoryConsumptionForThisTask()).isEqualTo(ALL / 2);
    assertThat(operator.asked).as("times that it was asked to spill").isZero();

    operator.take(2 * MIB);
    assertThat(memory.getUsed()).as("what an operator left the reader").isEqualTo(3 * MIB);
    memory.close();
    operator.giveBackAll();
    other.giveBackAll();
  }

  @Test
  void takesTheLeastAndWaitsForNobodyIfAnotherTaskHasAll() {
    Hoard other = new Hoard(otherTask);
    other.take(ALL);
    CountedMemory memory = memory(MUCH);

    assertThat(memory.credit(CREDIT)).isEqualTo(LEAST);
    memory.held(MIB);
    assertCounted(0);
    assertThat(other.asked).isZero();

    other.giveBackAll();
    memory.held(MIB);
    assertThat(memory.getUsed()).as("what can be counted now").isEqualTo(MIB);
    memory.close();
  }

  @Test
  void anOperatorOfTheTaskGetsBackWhatItNeeds() {
    CountedMemory memory = memory(MUCH);
    memory.credit(CREDIT);
    memory.held(4 * MIB);
    Hoard operator = new Hoard(task);
    operator.take(ALL - 20 * MIB);
    assertCounted(20 * MIB);

    operator.take(12 * MIB);
    assertThat(operator.has).isEqualTo(ALL - 8 * MIB);
    assertThat(memory.getUsed()).isEqualTo(8 * MIB);
    operator.take(8 * MIB);
    assertThat(operator.has).as("as if there were no reader").isEqualTo(ALL);
    assertThat(memory.getUsed()).isZero();

    memory.held(-4 * MIB);
    memory.close();
    assertThat(task.getMemoryConsumptionForThisTask()).isEqualTo(ALL);
    operator.giveBackAll();
  }

  @Test
  void asksForNothingOnAnotherThreadAndGivesBackThere() throws Exception {
    CountedMemory memory = memory(MUCH);
    memory.held(2 * MIB);
    CompletableFuture<@Nullable Void> other =
        CompletableFuture.runAsync(
            () -> {
              memory.held(3 * MIB);
              memory.countDue();
              assertCounted(2 * MIB);
              memory.held(-4 * MIB);
              assertCounted(MIB);
              memory.held(5 * MIB);
            });
    other.get(30, TimeUnit.SECONDS);
    assertCounted(MIB);
    memory.countDue();
    assertCounted(6 * MIB);
    memory.close();

    CountedMemory strange =
        new CountedMemory(task, new UnusedMemory(executor, () -> 2, task, ATTEMPT), null, MUCH);
    assertThat(strange.credit(CREDIT)).as("as before anything was counted").isEqualTo(CREDIT);
    assertCounted(0);
    strange.close();
  }

  private CountedMemory memory(long expectedBytes) {
    return memory(expectedBytes, 2);
  }

  private CountedMemory memory(long expectedBytes, int tasks) {
    UnusedMemory unused = new UnusedMemory(executor, () -> tasks, task, ATTEMPT);
    return new CountedMemory(task, unused, Thread.currentThread(), expectedBytes);
  }

  /** Bytes that Spark believes readers of the task to have. */
  private void assertCounted(long bytes) {
    long others = otherTask.getMemoryConsumptionForThisTask();
    assertThat(executor.executionMemoryUsed() - others - hoarded).isEqualTo(bytes);
  }

  /** An operator that takes all it can get. */
  private final class Hoard extends MemoryConsumer {
    private final TaskMemoryManager owner;
    long has;
    int asked;

    Hoard(TaskMemoryManager owner) {
      super(owner, MemoryMode.ON_HEAP);
      this.owner = owner;
    }

    void take(long bytes) {
      long got = acquireMemory(bytes);
      assertThat(got).isEqualTo(bytes);
      has += got;
      hoarded += owner == task ? got : 0;
    }

    void giveBackAll() {
      freeMemory(has);
      hoarded -= owner == task ? has : 0;
      has = 0;
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) {
      asked += trigger == this ? 0 : 1;
      return 0;
    }
  }
}
