package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SerializedBlocksTest {
  private static final int BLOCK_BYTES = 16 * 1024;

  private final Serializer serializer = new JavaSerializer(new SparkConf(false));
  private final TaskContextImpl task = TaskContext$.MODULE$.empty();
  private final HeapMapOutput output = new HeapMapOutput(3, 0, 1, blocks -> {});
  private final ScratchBuffers scratch = new ScratchBuffers(BLOCK_BYTES, 1);
  private final PushPipeline pipeline =
      Pipelines.to(output, Metrics.progress(output, task), "none", scratch);

  @AfterEach
  void close() {
    pipeline.close();
  }

  @Test
  void aKilledTaskPushesNoMoreBlocks() throws IOException {
    SerializedBlocks blocks = new SerializedBlocks(serializer, pipeline);
    blocks.begin(0);
    blocks.write(1, "one");
    blocks.end(true);
    task.markInterrupted("on purpose");

    blocks.begin(1);
    blocks.write(2, "two");
    assertThatThrownBy(() -> blocks.end(true)).isInstanceOf(TaskKilledException.class);
    assertThat(output.blocks()).hasSize(1);
    blocks.close();
  }

  @Test
  void aKilledTaskIsOverInTheMiddleOfAPartition() {
    SerializedBlocks blocks = new SerializedBlocks(serializer, pipeline);
    blocks.begin(0);
    task.markInterrupted("on purpose");
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < BLOCK_BYTES; i++) {
                blocks.write(i, "value " + i);
              }
            })
        .isInstanceOf(TaskKilledException.class);
    assertThat(output.blocks()).isEmpty();
    blocks.close();
  }

  /** It would take the place of what the task failed of. */
  @Test
  void whatAStreamThrowsAsItIsDroppedIsNotThrown() throws IOException {
    BrokenStreams broken =
        new BrokenStreams(serializer.newInstance(), new IOException("on purpose"));
    SerializedBlocks blocks = new SerializedBlocks(broken.serializer(), pipeline);
    blocks.begin(0);
    blocks.write(1, "one");
    broken.breakNow();
    blocks.close();
    assertThat(broken.open()).isZero();
    blocks.close();
    assertThat(broken.open()).as("closed once").isZero();
  }
}
