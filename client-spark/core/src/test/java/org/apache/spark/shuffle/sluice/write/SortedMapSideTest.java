package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.shuffle.sluice.LocalSpark;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.line.Spark35Line;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What Spark's sorter holds of a map task's records. */
class SortedMapSideTest {
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 2_000;

  private final SparkContext spark = LocalSpark.start();
  private final TaskMemoryManager memory = TaskMemory.ofBytes(64 << 20);
  private final LentBuffers scratch = new LentBuffers(16 * 1024);
  private final HeapMapOutput output = new HeapMapOutput(PARTITIONS, 0, 1, blocks -> {});

  @AfterEach
  void stop() {
    spark.stop();
  }

  @Test
  void noMemoryWhileServersAreWaitedFor() throws IOException {
    // Below it the sorter asks for none.
    SparkEnv.get().conf().set("spark.shuffle.spill.initialMemoryThreshold", "10000");
    SortedMapSide<Integer, String, String> side =
        new SortedMapSide<>(
            new Spark35Line(),
            Shuffles.of(spark, new JavaSerializer(new SparkConf(false)), PARTITIONS),
            TaskMemory.task(memory),
            RowChecksums.NONE,
            Pipelines.to(output, "lz4", scratch.buffers()));
    side.write(
        Records.with(
            RECORDS,
            RECORDS,
            () -> assertThat(memory.getMemoryConsumptionForThisTask()).isPositive()));

    assertThat(output.blocks()).isNotEmpty();
    assertThat(memory.getMemoryConsumptionForThisTask()).isZero();
    side.close();
    assertThat(scratch.lent()).isZero();
  }
}
