package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.junit.jupiter.api.Test;

/** What a map task pushes that serialises records through one stream, and what is left of it. */
class PagedMapSideTest {
  private static final int BLOCK_BYTES = 16 * 1024;
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 2_000;

  private static final long MEMORY_BYTES = 64 << 20;

  // So little that records are pushed before they end.
  private static final long BUFFER_BYTES = 256 << 10;

  private final TaskMemoryManager memory = TaskMemory.ofBytes(MEMORY_BYTES);
  private final TaskContextImpl task = TaskMemory.task(memory);
  private final LentBuffers scratch = new LentBuffers(BLOCK_BYTES);
  private final HeapMapOutput output = new HeapMapOutput(PARTITIONS, 0, 1, blocks -> {});
  private final SerializerInstance kryo = new KryoSerializer(new SparkConf(false)).newInstance();

  @Test
  void nothingAfterItsLastRecord() throws IOException {
    BrokenStreams streams = new BrokenStreams(kryo, new IOException("never thrown"));
    PagedMapSide<Integer, String> side = side(streams);
    side.write(Records.of(RECORDS));
    assertThat(streams.open()).isEqualTo(1);
    side.close();
    assertNothingIsLeft(streams);
  }

  @Test
  void nothingIfItsStreamClosesBadly() {
    BrokenStreams broken = new BrokenStreams(kryo, new IOException("on purpose"));
    failed(broken).close();
    assertNothingIsLeft(broken);
  }

  @Test
  void nothingIfItsStreamHasAnError() {
    BrokenStreams broken = new BrokenStreams(kryo, new AssertionError("on purpose"));
    PagedMapSide<Integer, String> side = failed(broken);
    assertThatThrownBy(side::close).isInstanceOf(AssertionError.class);
    assertNothingIsLeft(broken);
  }

  /** Spark interrupts no task that it kills, unless it is told to. */
  @Test
  void noBlockMoreThanOneOnceItIsKilled() {
    output.tell(
        before -> {
          if (before == 2) {
            task.markInterrupted("on purpose");
          }
        });
    PagedMapSide<Integer, String> side = side(kryo);
    assertThatThrownBy(() -> side.write(Records.of(RECORDS)))
        .isInstanceOf(TaskKilledException.class);
    assertThat(output.blocks()).hasSize(3);
    side.close();
  }

  /**
   * Records are pushed because another operator asks for memory, and who called that, as a function
   * of the user's may, catches what comes of it.
   */
  @Test
  void noRecordTwiceIfAPushThatFailsInTheMiddleIsCaught() {
    TaskMemory.Greedy operator = new TaskMemory.Greedy(memory);
    output.tell(
        before -> {
          if (before == 2) {
            throw new InterruptedException("on purpose");
          }
        });
    PagedMapSide<Integer, String> side = side(kryo);
    Records records =
        Records.with(
            RECORDS,
            400,
            () -> {
              assertThatThrownBy(() -> operator.acquireMemory(MEMORY_BYTES))
                  .isInstanceOf(RuntimeException.class);
              assertThat(Thread.interrupted()).isTrue();
              operator.freeMemory(operator.getUsed());
              assertThat(output.blocks()).hasSize(2);
              output.tell(before -> {});
            });
    assertThatThrownBy(() -> side.write(records))
        .isInstanceOf(WentOnException.class)
        .hasMessageContaining("twice")
        .hasCauseInstanceOf(InterruptedIOException.class);
    assertThat(output.blocks()).hasSize(2);
    side.close();
  }

  @Test
  void reportsWhatItPushesForAnotherOperatorAsSpilledFromMemory() throws IOException {
    TaskMemory.Greedy operator = new TaskMemory.Greedy(memory);
    PagedMapSide<Integer, String> side = side(kryo);
    Records records =
        Records.with(
            RECORDS,
            400,
            () -> {
              operator.acquireMemory(MEMORY_BYTES);
              operator.freeMemory(operator.getUsed());
            });
    side.write(records);
    side.close();
    assertThat(task.taskMetrics().memoryBytesSpilled()).isBetween(1L, MEMORY_BYTES);
    assertThat(task.taskMetrics().diskBytesSpilled()).as("servers are no disk of its").isZero();
  }

  @Test
  void reportsNoSpillWhereNobodyWantsItsMemory() throws IOException {
    PagedMapSide<Integer, String> side = side(kryo);
    side.write(Records.of(RECORDS));
    side.close();
    assertThat(task.taskMetrics().memoryBytesSpilled()).isZero();
    assertThat(task.taskMetrics().peakExecutionMemory()).isPositive();
  }

  private void assertNothingIsLeft(BrokenStreams streams) {
    assertThat(streams.open()).isZero();
    assertThat(scratch.lent()).isZero();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  /** One that holds a stream, memory and a buffer. */
  private PagedMapSide<Integer, String> failed(BrokenStreams broken) {
    PagedMapSide<Integer, String> side = side(broken);
    assertThatThrownBy(() -> side.write(Records.failing(RECORDS, broken)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(output.blocks()).isNotEmpty();
    assertThat(broken.open()).isEqualTo(1);
    assertThat(scratch.lent()).isEqualTo(1);
    return side;
  }

  private PagedMapSide<Integer, String> side(SerializerInstance serializer) {
    PushPipeline pipeline =
        Pipelines.to(output, Metrics.progress(output, task), "lz4", scratch.buffers());
    return new PagedMapSide<>(
        task,
        new HashPartitioner(PARTITIONS),
        new StreamAppender<>(serializer),
        RowChecksums.NONE,
        pipeline,
        new TaskArrays(0, 0),
        BUFFER_BYTES);
  }
}
