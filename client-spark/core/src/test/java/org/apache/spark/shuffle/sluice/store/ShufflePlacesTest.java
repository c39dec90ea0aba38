package org.apache.spark.shuffle.sluice.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.LocalSpark;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.apache.spark.shuffle.sluice.write.TaskMemory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Where tasks look for shuffles, by what their handles were when they were sent. */
class ShufflePlacesTest {
  private static final int SHUFFLE = 3;
  private static final FixedPlacement FIRST = placement(0);
  private static final FixedPlacement NEXT = placement(1);

  private final SparkContext spark = LocalSpark.start();
  private final List<Integer> asked = new ArrayList<>();
  private final CompletableFuture<FixedPlacement> answer = new CompletableFuture<>();
  private final ShufflePlaces places =
      new ShufflePlaces(
          shuffle -> {
            asked.add(shuffle.shuffleId());
            return answer;
          });

  @AfterEach
  void stop() {
    TaskContext$.MODULE$.unset();
    spark.stop();
  }

  @Test
  void theNewestThatTheHandleWasSentWith() {
    assertThat(places.of(sent(handle(id -> NEXT))).shuffle()).isEqualTo(NEXT.shuffle());
    assertThat(asked).isEmpty();
  }

  @Test
  void whatTheDriverSaysIfItHadBeenRemoved() {
    answer.complete(NEXT);

    assertThat(places.of(sent(handle(id -> null)))).isSameAs(NEXT);
    assertThat(asked).containsExactly(SHUFFLE);
  }

  /** As in what a task itself sends on, where nobody knows the newest. */
  @Test
  void aHandleThatIsSentOnSaysTheSame() {
    answer.complete(NEXT);

    assertThat(places.of(sent(sent(handle(id -> NEXT)))).shuffle()).isEqualTo(NEXT.shuffle());
    assertThat(asked).isEmpty();
    assertThat(places.of(sent(sent(handle(id -> null))))).isSameAs(NEXT);
    assertThat(asked).containsExactly(SHUFFLE);
  }

  @Test
  void theReasonIfThereIsNone() {
    SluiceException refusal = new SluiceException(ErrorCode.QUOTA_EXCEEDED, "says the test");
    answer.completeExceptionally(refusal);

    assertThatThrownBy(() -> places.of(sent(handle(id -> null)))).isSameAs(refusal);
  }

  @Test
  void anInterruptEndsTheWait() {
    SluiceShuffleHandle<?, ?, ?> removed = sent(handle(id -> null));
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> places.of(removed))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aTaskThatWasKilledDoesNotWait() {
    SluiceShuffleHandle<?, ?, ?> removed = sent(handle(id -> null));
    TaskContextImpl task = TaskMemory.task(TaskMemory.ofBytes(1 << 20));
    TaskContext$.MODULE$.setTaskContext(task);
    task.markInterrupted("on purpose");

    assertThatThrownBy(() -> places.of(removed)).isInstanceOf(TaskKilledException.class);
  }

  private static SluiceShuffleHandle<?, ?, ?> sent(SluiceShuffleHandle<?, ?, ?> handle) {
    SerializerInstance java = new JavaSerializer(SparkEnv.get().conf()).newInstance();
    ClassTag<SluiceShuffleHandle<?, ?, ?>> type =
        ClassTag$.MODULE$.apply(SluiceShuffleHandle.class);
    return java.deserialize(java.serialize(handle, type), type);
  }

  @SuppressWarnings("unchecked")
  private SluiceShuffleHandle<Integer, Integer, Integer> handle(
      IntFunction<@Nullable FixedPlacement> newest) {
    ShuffleDependency<Integer, Integer, Integer> dependency =
        (ShuffleDependency<Integer, Integer, Integer>)
            new JavaSparkContext(spark)
                .parallelize(List.of(1), 1)
                .mapToPair(number -> new Tuple2<>(number, number))
                .partitionBy(new HashPartitioner(1))
                .rdd()
                .dependencies()
                .apply(0);
    return new SluiceShuffleHandle<>(SHUFFLE, dependency, FIRST, "lz4", newest);
  }

  private static FixedPlacement placement(int generation) {
    ShuffleKey key = new ShuffleKey(ApplicationId.of(1, 2), SHUFFLE, generation);
    PlacedServer server = new PlacedServer(ServerId.of(0, 1), 1, "server", 1);
    return FixedPlacement.of(key, 1, List.of(server), 1, new int[1]);
  }
}
