package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.apache.spark.TaskContext$;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What Spark knows of a map attempt, and when. */
class WriteProgressTest {
  private static final int PARTITIONS = 3;
  private static final int BLOCK_BYTES = 16 * 1024;
  private static final int RECORDS_PER_BLOCK = 5;
  private static final int MIB = 1 << 20;

  private final ShuffleWriteMetrics metrics = TaskMetrics.empty().shuffleWriteMetrics();
  private final HeapMapOutput output = new HeapMapOutput(PARTITIONS, 0, 1, blocks -> {});
  private final WriteProgress progress =
      new WriteProgress(output, metrics, TaskContext$.MODULE$.empty());
  private final ScratchBuffers scratch = new ScratchBuffers(BLOCK_BYTES, 1);
  private PushPipeline pipeline = pipeline("none");

  @AfterEach
  void close() {
    pipeline.close();
  }

  @Test
  void everyMebibyteWhileItPushes() throws IOException {
    for (int blocks = 1; blocks <= 200; blocks++) {
      push(blocks % PARTITIONS);
      assertThat(pushed() - metrics.bytesWritten()).isBetween(0L, (long) MIB);
    }
    assertThat(metrics.bytesWritten()).isGreaterThan(2 * MIB);
    assertThat(metrics.recordsWritten()).isBetween(150L * RECORDS_PER_BLOCK, 1_000L);
  }

  @Test
  void allThatIsOnItsWayOnceItIsSent() throws IOException {
    pipeline.close();
    pipeline = pipeline("lz4");
    push(0);
    push(1);
    output.waited(300);
    assertThat(metrics.bytesWritten()).isZero();

    pipeline.flush();

    assertThat(metrics.bytesWritten()).isEqualTo(pushed()).isPositive();
    assertThat(metrics.recordsWritten()).isEqualTo(2 * RECORDS_PER_BLOCK);
    assertThat(metrics.writeTime()).isEqualTo(300);
  }

  @Test
  void whatAFailedAttemptHasPushed() throws IOException {
    push(0);
    pipeline.flush();
    push(1);
    output.waited(20);

    progress.settle();

    assertThat(metrics.bytesWritten()).isEqualTo(pushed());
    assertThat(metrics.recordsWritten()).isEqualTo(2 * RECORDS_PER_BLOCK);
    assertThat(metrics.writeTime()).isEqualTo(20);
  }

  /** With blocks that only end partitions, and records of which there is no byte. */
  @Test
  void everythingOnceAtTheEnd() throws IOException {
    for (int blocks = 0; blocks < 100; blocks++) {
      push(blocks % PARTITIONS);
    }
    pipeline.flush();
    output.waited(40);
    long before = pushed();
    output.finish();
    assertThat(pushed()).as("with the ends of partitions").isGreaterThan(before);

    progress.finished(100 * RECORDS_PER_BLOCK + 7);
    progress.settle();

    assertThat(metrics.bytesWritten()).isEqualTo(pushed());
    assertThat(metrics.recordsWritten()).isEqualTo(100 * RECORDS_PER_BLOCK + 7);
    assertThat(metrics.writeTime()).isEqualTo(40);
  }

  private PushPipeline pipeline(String codec) {
    return Pipelines.to(output, progress, codec, scratch);
  }

  private void push(int partition) throws IOException {
    pipeline.open(partition, BLOCK_BYTES - 100);
    pipeline.close(BLOCK_BYTES - 100, RECORDS_PER_BLOCK, 0);
  }

  private long pushed() {
    return Arrays.stream(output.partitionLengths()).sum();
  }
}
