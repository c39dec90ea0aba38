package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.LocalSpark;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.line.Spark35Line;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.store.DataPath;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.apache.spark.shuffle.sluice.store.HeapShuffleStore;
import org.apache.spark.shuffle.sluice.store.ShufflePlaces;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is left of a map side that cannot be made. */
class MapSidesTest {
  private static final WriteLimits LIMITS =
      new WriteLimits(
          16 * 1024, 1 << 20, 200, new ObjectLimits(5 << 20, Integer.MAX_VALUE, Long.MAX_VALUE));

  private static final ShufflePlaces PLACES =
      new ShufflePlaces(
          shuffle -> {
            throw new AssertionError("it was not removed");
          });

  private final SparkContext spark = LocalSpark.start();
  private final TaskMemoryManager memory = TaskMemory.ofBytes(64 << 20);
  private final TaskContextImpl task = TaskMemory.task(memory);
  private final LentBuffers scratch = new LentBuffers(LIMITS.blockBytes());
  private final MapSides sides = new MapSides(LIMITS, new TaskArrays(0, 0));

  @AfterEach
  void stop() {
    spark.stop();
  }

  @Test
  void noBufferWithoutItsSerializer() throws IOException {
    assertRefused(Shuffles.of(spark, new Refusing(), 3), SparkException.class);
  }

  /** Of a relocatable serializer records have a stream before they have pages. */
  @Test
  void noStreamWithoutPages() throws IOException {
    SerializerInstance kryo = new KryoSerializer(new SparkConf(false)).newInstance();
    BrokenStreams streams = new BrokenStreams(kryo, new IOException("never thrown"));
    assertRefused(Shuffles.of(spark, streams.relocatable(), 0), IllegalArgumentException.class);
    assertThat(streams.open()).isZero();
  }

  @Test
  void noOutputWithoutItsSerializer() {
    HeapShuffleStore store = new HeapShuffleStore();
    SpareCores cores = new SpareCores(0, Runnable::run, () -> {});
    BlockCodecs codecs = new BlockCodecs(new SparkConf(false));
    try (DataPath path = new DataPath(store, codecs, null, cores)) {
      MapWriters writers = new MapWriters(new Spark35Line(), path, PLACES, LIMITS, 1);
      SluiceShuffleHandle<Integer, String, String> handle =
          new SluiceShuffleHandle<>(
              0, Shuffles.of(spark, new Refusing(), 3), placement(), "lz4", id -> null);
      assertThatThrownBy(
              () -> writers.open(handle, 1, task, task.taskMetrics().shuffleWriteMetrics()))
          .isInstanceOf(SparkException.class);
      assertThat(store.openOutputs()).isZero();
    }
  }

  private void assertRefused(
      ShuffleDependency<Integer, String, String> dependency, Class<? extends Exception> why)
      throws IOException {
    HeapMapOutput output = new HeapMapOutput(3, 0, 1, blocks -> {});
    PushPipeline pipeline = Pipelines.to(output, "lz4", scratch.buffers());
    pipeline.open(0, 100);
    assertThat(scratch.lent()).isEqualTo(1);
    assertThatThrownBy(() -> sides.open(dependency, task, RowChecksums.NONE, pipeline))
        .isInstanceOf(why);
    assertThat(scratch.lent()).isZero();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  private static FixedPlacement placement() {
    ShuffleKey key = new ShuffleKey(new ApplicationId(new UUID(0, 1)), 0, 0);
    PlacedServer server = new PlacedServer(ServerId.of(0, 1), 1, "heap", 1);
    return FixedPlacement.of(key, 3, List.of(server), 1, new int[3]);
  }

  /** As Kryo's is whose registrator fails: what it throws is checked, and not declared. */
  private static final class Refusing extends Serializer {
    @Override
    public SerializerInstance newInstance() {
      BrokenStreams.<RuntimeException>throwAs(new SparkException("on purpose"));
      throw new AssertionError("thrown before");
    }
  }
}
