package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.junit.jupiter.api.Test;

/** What is left of a map task that failed in the middle of its records. */
class StreamedMapSideTest {
  private static final int BLOCK_BYTES = 16 * 1024;
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 2_000;

  private final TaskMemoryManager memory = TaskMemory.ofBytes(64 << 20);
  private final LentBuffers scratch = new LentBuffers(BLOCK_BYTES);
  private final HeapMapOutput output = new HeapMapOutput(PARTITIONS, 0, 1, blocks -> {});
  private final SerializerInstance serializer =
      new JavaSerializer(new SparkConf(false)).newInstance();

  @Test
  void nothingIfStreamsCloseBadly() {
    BrokenStreams broken = new BrokenStreams(serializer, new IOException("on purpose"));
    StreamedMapSide<Integer, String> side = failed(broken);
    side.close();
    assertNothingIsLeft(broken);
  }

  @Test
  void nothingIfAStreamHasAnError() {
    BrokenStreams broken = new BrokenStreams(serializer, new AssertionError("on purpose"));
    StreamedMapSide<Integer, String> side = failed(broken);
    assertThatThrownBy(side::close).isInstanceOf(AssertionError.class);
    assertNothingIsLeft(broken);
  }

  private void assertNothingIsLeft(BrokenStreams streams) {
    assertThat(streams.open()).isZero();
    assertThat(scratch.lent()).isZero();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  /** One that holds streams, memory and a buffer. */
  private StreamedMapSide<Integer, String> failed(BrokenStreams broken) {
    PushPipeline pipeline = Pipelines.to(output, "lz4", scratch.buffers());
    StreamedMapSide<Integer, String> side =
        new StreamedMapSide<>(
            TaskMemory.task(memory),
            new HashPartitioner(PARTITIONS),
            broken,
            RowChecksums.NONE,
            pipeline,
            32 << 20);
    assertThatThrownBy(() -> side.write(Records.failing(RECORDS, broken)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(output.blocks()).isNotEmpty();
    assertThat(broken.open()).isEqualTo(PARTITIONS);
    assertThat(scratch.lent()).isEqualTo(1);
    return side;
  }
}
