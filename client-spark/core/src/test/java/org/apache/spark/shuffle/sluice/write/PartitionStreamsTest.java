package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.collection.Iterator;

class PartitionStreamsTest {
  private static final int PARTITIONS = 6;
  private static final int BLOCK_BYTES = 16 * 1024;
  private static final long MIB = 1 << 20;

  private final SerializerInstance serializer =
      new JavaSerializer(new SparkConf(false)).newInstance();
  private final HeapMapOutput output = new HeapMapOutput(PARTITIONS, 3, 17, blocks -> {});
  private final Map<Integer, List<String>> written = new TreeMap<>();
  private final TaskMetrics metrics = TaskMetrics.empty();

  @Test
  void everyPieceIsAWholeStream() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    try (PushPipeline pipeline = pipeline();
        PartitionStreams streams = streams(memory, pipeline, 32 * MIB)) {
      write(streams, 2_000);
      assertThat(streams.getUsed()).isPositive();
      streams.finish();
      assertThat(streams.getUsed()).isZero();
    }
    assertThat(metrics.memoryBytesSpilled()).isZero();
    assertThat(metrics.peakExecutionMemory()).isPositive();
    assertRead();
    assertThat(output.blocks()).hasSizeGreaterThan(2 * PARTITIONS);
    assertThat(output.blocks()).anyMatch(HeapBlock::continues).anyMatch(HeapBlock::isLast);
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void pushesEverythingWhenMemoryIsRefused() throws IOException {
    pushesBeforeItsEnd(TaskMemory.ofBytes(MIB / 2), 32 * MIB);
    assertThat(metrics.memoryBytesSpilled()).as("it was short").isPositive();
  }

  @Test
  void pushesEverythingWhenTheBoundIsReachedWhichIsNoSpill() throws IOException {
    pushesBeforeItsEnd(TaskMemory.ofBytes(64 * MIB), 64 << 10);
    assertThat(metrics.memoryBytesSpilled()).as("there was more").isZero();
  }

  private void pushesBeforeItsEnd(TaskMemoryManager memory, long bound) throws IOException {
    try (PushPipeline pipeline = pipeline();
        PartitionStreams streams = streams(memory, pipeline, bound)) {
      assertThat(write(streams, 500)).as("times before its end").isPositive();
      streams.finish();
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
    assertThat(metrics.peakExecutionMemory()).isPositive().isLessThanOrEqualTo(MIB);
    assertRead();
  }

  @Test
  void givesEverythingBackToAnotherOperatorOfTheTask() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(2 * MIB);
    try (PushPipeline pipeline = pipeline();
        PartitionStreams streams = streams(memory, pipeline, 32 * MIB)) {
      write(streams, 100);
      TaskMemory.Greedy other = new TaskMemory.Greedy(memory);
      assertThat(other.acquireMemory(2 * MIB)).isEqualTo(2 * MIB);
      assertThat(streams.getUsed()).isZero();
      assertThat(metrics.memoryBytesSpilled()).isPositive();
      assertRead();
      other.freeMemory(2 * MIB);

      write(streams, 100);
      streams.finish();
    }
    assertRead();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void chargesTheHeapThoughRowsAreOffIt() throws IOException {
    UnifiedMemoryManager pools = TaskMemory.manager(64 * MIB, true);
    TaskMemoryManager memory = new TaskMemoryManager(pools, 7);
    try (PushPipeline pipeline = pipeline();
        PartitionStreams streams = streams(memory, pipeline, 32 * MIB)) {
      write(streams, 2_000);
      assertThat(pools.onHeapExecutionMemoryUsed()).isEqualTo(streams.getUsed()).isPositive();
      assertThat(pools.offHeapExecutionMemoryUsed()).isZero();
      streams.finish();
    }
    assertThat(pools.onHeapExecutionMemoryUsed()).isZero();
  }

  @Test
  void whatIsLeftOfAFailedTaskIsGivenBack() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    try (PushPipeline pipeline = pipeline()) {
      PartitionStreams streams = streams(memory, pipeline, 32 * MIB);
      write(streams, 100);
      streams.close();
      streams.close();
    }
    assertThat(output.blocks()).isEmpty();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  /** In Scala a stream may throw, as it closes, what it does not declare. */
  @Test
  void streamsThatDoNotCloseKeepNoMemory() throws IOException {
    for (Exception thrown :
        List.of(new IOException("on purpose"), new IllegalStateException("on purpose"))) {
      TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
      BrokenStreams broken = new BrokenStreams(serializer, thrown);
      broken.breakNow();
      try (PushPipeline pipeline = pipeline()) {
        PartitionStreams streams = streams(memory, broken, pipeline, 32 * MIB);
        write(streams, 100);
        streams.close();
        assertThat(broken.open()).isZero();
      }
      assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
    }
  }

  @Test
  void anErrorOfAStreamComesOutWhenAllOfThemAreClosed() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    BrokenStreams broken = new BrokenStreams(serializer, new AssertionError("on purpose"));
    broken.breakNow();
    try (PushPipeline pipeline = pipeline()) {
      PartitionStreams streams = streams(memory, broken, pipeline, 32 * MIB);
      write(streams, 100);
      assertThatThrownBy(streams::close).isInstanceOf(AssertionError.class);
      assertThat(broken.open()).isZero();
      streams.close();
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  /**
   * Spark makes a lack of memory of what a stream throws, which some of its operators live with.
   */
  @Test
  void nothingBehindAStreamThatDidNotEndAsMemoryWasAskedFor() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(2 * MIB);
    IOException thrown = new IOException("on purpose");
    BrokenStreams broken = new BrokenStreams(serializer, thrown);
    try (PushPipeline pipeline = pipeline();
        PartitionStreams streams = streams(memory, broken, pipeline, 32 * MIB)) {
      write(streams, 100);
      broken.breakNow();
      TaskMemory.Greedy other = new TaskMemory.Greedy(memory);
      assertThatThrownBy(() -> other.acquireMemory(2 * MIB))
          .isInstanceOf(SparkOutOfMemoryError.class);
      other.freeMemory(other.getUsed());
      broken.mend();

      assertThatThrownBy(
              () -> {
                write(streams, 100);
                streams.finish();
              })
          .isInstanceOf(WentOnException.class)
          .hasCause(thrown);
    }
    assertThat(output.blocks()).isEmpty();
  }

  private PushPipeline pipeline() {
    return Pipelines.to(output, "none", new ScratchBuffers(BLOCK_BYTES, 1));
  }

  private PartitionStreams streams(TaskMemoryManager memory, PushPipeline pipeline, long bound) {
    return streams(memory, serializer, pipeline, bound);
  }

  private PartitionStreams streams(
      TaskMemoryManager memory, SerializerInstance by, PushPipeline pipeline, long bound) {
    return new PartitionStreams(memory, by, pipeline, PARTITIONS, bound, new MemoryReport(metrics));
  }

  /**
   * Mostly short, now and then longer than a block.
   *
   * @return how often memory was given back meanwhile
   */
  private int write(PartitionStreams streams, int count) throws IOException {
    int givenBack = 0;
    for (int i = 0; i < count; i++) {
      int partition = i % PARTITIONS;
      String value = "value " + i + "x".repeat(i % 97 == 96 ? 3 * BLOCK_BYTES : i % 150);
      long before = streams.getUsed();
      streams.write(partition, i, value);
      givenBack += streams.getUsed() < before ? 1 : 0;
      written.computeIfAbsent(partition, key -> new ArrayList<>()).add(i + " " + value);
    }
    return givenBack;
  }

  private void assertRead() {
    Map<Integer, ByteArrayOutputStream> chains = new TreeMap<>();
    Map<Integer, List<String>> read = new TreeMap<>();
    for (HeapBlock block : output.blocks()) {
      ByteArrayOutputStream chain =
          chains.computeIfAbsent(block.partition(), key -> new ByteArrayOutputStream());
      chain.writeBytes(block.stored());
      if (block.continues()) {
        continue;
      }
      chains.remove(block.partition());
      Iterator<Tuple2<Object, Object>> records =
          serializer
              .deserializeStream(new ByteArrayInputStream(chain.toByteArray()))
              .asKeyValueIterator();
      while (records.hasNext()) {
        Tuple2<Object, Object> record = records.next();
        read.computeIfAbsent(block.partition(), key -> new ArrayList<>())
            .add(record._1() + " " + record._2());
      }
    }
    assertThat(chains).isEmpty();
    assertThat(read).isEqualTo(written);
  }
}
