package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.Aggregator;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.JavaConverters;

/** Objects of a map task, which leave for the servers when memory is short. */
class SortedMapSideTest {
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 20_000;
  private static final int KEYS = 5_000;
  private static final ObjectLimits LIMITS =
      new ObjectLimits(10_000, Integer.MAX_VALUE, Long.MAX_VALUE);
  private static final long ENOUGH = 64 << 20;
  private static final long SHORT = 1 << 20;

  private final CountedRows rows = new CountedRows();
  private Serializer serializer = new JavaSerializer(new SparkConf(false));
  private final LentBuffers scratch = new LentBuffers(16 * 1024);
  private final HeapMapOutput output = new HeapMapOutput(PARTITIONS, 0, 1, blocks -> {});
  private TaskMemoryManager memory = TaskMemory.ofBytes(ENOUGH);
  private TaskContextImpl task = TaskMemory.task(memory);
  private ObjectLimits limits = LIMITS;

  @AfterEach
  void nothingIsLeft() {
    assertThat(scratch.lent()).isZero();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void noMemoryWhileServersAreWaitedFor() throws IOException {
    SortedMapSide<Integer, String, String> side = side(new GroupedObjects<>());
    side.write(
        Records.with(
            RECORDS,
            RECORDS,
            () -> {
              assertThat(memory.getMemoryConsumptionForThisTask()).isPositive();
              assertThat(output.blocks()).isEmpty();
            }));

    assertThat(output.blocks()).isNotEmpty();
    assertThat(memory.getMemoryConsumptionForThisTask()).isZero();
    side.close();
    assertThat(task.taskMetrics().memoryBytesSpilled()).isZero();
    assertThat(task.taskMetrics().peakExecutionMemory()).isGreaterThan(SHORT);
    assertEveryRecordOnce();
  }

  @Test
  void whatMemoryIsShortForIsPushedAndNotWritten() throws IOException {
    give(SHORT);
    SortedMapSide<Integer, String, String> side = side(new GroupedObjects<>());
    side.write(Records.with(RECORDS, RECORDS / 2, () -> assertThat(output.blocks()).isNotEmpty()));
    output.finish();
    side.close();

    assertThat(side.recordsWritten()).isEqualTo(RECORDS);
    assertThat(rows.count).isEqualTo(RECORDS);
    assertThat(output.blocks())
        .filteredOn(HeapBlock::isLast)
        .as("ends of partitions, which the last push knows")
        .hasSize(PARTITIONS)
        .allMatch(block -> block.rawLength() > 0);
    assertThat(task.taskMetrics().memoryBytesSpilled()).isGreaterThan(SHORT);
    assertThat(task.taskMetrics().diskBytesSpilled()).isZero();
    assertThat(task.taskMetrics().peakExecutionMemory()).isLessThan(2 * SHORT);
    assertEveryRecordOnce();
  }

  /** A key that comes again after its first value was pushed has another piece. */
  @Test
  void whatIsCombinedComesInPieces() throws IOException {
    give(SHORT / 4);
    SortedMapSide<Integer, Long, Long> side = side(new CombinedObjects<>(sums()));
    side.write(ones());
    output.finish();
    side.close();

    assertThat(task.taskMetrics().memoryBytesSpilled()).isPositive();
    assertThat(task.taskMetrics().diskBytesSpilled()).isZero();
    List<Tuple2<Object, Object>> pieces = pieces();
    assertThat(pieces).hasSizeBetween(KEYS + 1, RECORDS - 1);
    assertThat(side.recordsWritten()).isEqualTo(pieces.size());
    assertThat(pieces.stream().collect(Collectors.groupingBy(Tuple2::_1)).values())
        .hasSize(KEYS)
        .allSatisfy(
            piece ->
                assertThat(piece.stream().mapToLong(one -> (Long) one._2()).sum())
                    .isEqualTo(RECORDS / KEYS));
  }

  @Test
  void eachKeyOnceWhileThereIsMemory() throws IOException {
    SortedMapSide<Integer, Long, Long> side = side(new CombinedObjects<>(sums()));
    side.write(ones());
    side.close();

    assertThat(pieces()).hasSize(KEYS).extracting(Tuple2::_2).containsOnly((long) RECORDS / KEYS);
  }

  @Test
  void anotherOperatorGetsTheMemory() throws IOException {
    give(4 * SHORT);
    SortedMapSide<Integer, String, String> side = side(new GroupedObjects<>());
    side.write(
        Records.with(
            RECORDS,
            1_000,
            () -> {
              assertThat(output.blocks()).isEmpty();
              take(4 * SHORT);
              assertThat(output.blocks()).isNotEmpty();
            }));
    output.finish();
    side.close();

    assertThat(task.taskMetrics().memoryBytesSpilled()).isPositive();
    assertEveryRecordOnce();
  }

  /** A function that combines is in the midst of what would be pushed. */
  @Test
  void noMemoryForWhoAsksWhileARecordIsAdded() throws IOException {
    give(4 * SHORT);
    TaskMemory.Greedy other = new TaskMemory.Greedy(memory);
    LongAccumulator least = new LongAccumulator(Math::min, Long.MAX_VALUE);
    Aggregator<Integer, Long, Long> asking =
        new Aggregator<>(
            value -> value,
            (sum, value) -> {
              long granted = other.acquireMemory(4 * SHORT);
              least.accumulate(granted);
              other.freeMemory(granted);
              return sum + value;
            },
            Long::sum);
    SortedMapSide<Integer, Long, Long> side = side(new CombinedObjects<>(asking));
    side.write(ones());
    side.close();

    assertThat(least.get()).isLessThan(4 * SHORT);
    assertThat(task.taskMetrics().memoryBytesSpilled()).isZero();
    assertThat(pieces()).hasSize(KEYS).extracting(Tuple2::_2).containsOnly((long) RECORDS / KEYS);
  }

  /** As Spark's own sorters keep, if they are told to. */
  @Test
  void noMoreThanSparkIsToldToKeep() throws IOException {
    for (ObjectLimits told :
        List.of(
            new ObjectLimits(ENOUGH, RECORDS / 4, Long.MAX_VALUE),
            new ObjectLimits(ENOUGH, Integer.MAX_VALUE, SHORT))) {
      output.blocks().clear();
      long before = task.taskMetrics().memoryBytesSpilled();
      limits = told;
      SortedMapSide<Integer, String, String> side = side(new GroupedObjects<>());
      side.write(
          Records.with(RECORDS, RECORDS / 2, () -> assertThat(output.blocks()).isNotEmpty()));
      side.close();
      assertThat(task.taskMetrics().memoryBytesSpilled()).isGreaterThan(before);
      assertEveryRecordOnce();
    }
  }

  @Test
  void keysAndValuesThatAreNull() throws IOException {
    serializer = new KryoSerializer(new SparkConf(false));
    limits = new ObjectLimits(ENOUGH, 100, Long.MAX_VALUE);
    List<Tuple2<Integer, String>> records =
        IntStream.range(0, 1_000)
            .mapToObj(i -> new Tuple2<>(i % 7 == 0 ? null : i, i % 5 == 0 ? null : "value " + i))
            .toList();
    SortedMapSide<Integer, String, String> side = side(new GroupedObjects<>());
    side.write(iterator(records));
    side.close();

    List<Tuple2<?, ?>> read = List.copyOf(pieces());
    List<Tuple2<?, ?>> given = List.copyOf(records);
    assertThat(read).containsExactlyInAnyOrderElementsOf(given);
  }

  @Test
  void nothingOfAMapThatFailed() {
    give(SHORT);
    SortedMapSide<Integer, String, String> side = side(new GroupedObjects<>());
    Records failing =
        Records.with(
            RECORDS,
            RECORDS - 10,
            () -> {
              throw new IllegalStateException("no more, on purpose");
            });
    assertThatThrownBy(() -> side.write(failing)).isInstanceOf(IllegalStateException.class);
    assertThat(output.blocks()).isNotEmpty();
    assertThat(memory.getMemoryConsumptionForThisTask()).isPositive();
    side.close();
    assertThat(memory.getMemoryConsumptionForThisTask()).isZero();
  }

  /** Operators catch what they are refused, as Spark's own do, and go on. */
  @Test
  void nothingBehindObjectsThatWereNotPushedAsMemoryWasAskedFor() {
    give(4 * SHORT);
    IOException thrown = new IOException("on purpose");
    BrokenStreams broken = new BrokenStreams(serializer.newInstance(), thrown);
    serializer = broken.serializer();
    SortedMapSide<Integer, String, String> side = side(new GroupedObjects<>());
    Records records =
        Records.with(
            RECORDS,
            1_000,
            () -> {
              broken.breakNow();
              TaskMemory.Greedy other = new TaskMemory.Greedy(memory);
              assertThatThrownBy(() -> other.acquireMemory(4 * SHORT))
                  .isInstanceOf(SparkOutOfMemoryError.class);
              other.freeMemory(other.getUsed());
              broken.mend();
            });
    assertThatThrownBy(() -> side.write(records))
        .isInstanceOf(WentOnException.class)
        .hasCause(thrown);
    side.close();
    assertThat(output.blocks()).isEmpty();
    assertThat(broken.open()).isZero();
    // What Spark had granted to the other one before it threw is nobody's.
    memory = TaskMemory.ofBytes(ENOUGH);
  }

  private <V, C> SortedMapSide<Integer, V, C> side(PartitionedObjects<Integer, V, C> objects) {
    return new SortedMapSide<>(
        task,
        new HashPartitioner(PARTITIONS),
        objects,
        serializer,
        rows,
        Pipelines.to(output, "none", scratch.buffers()),
        limits);
  }

  private void give(long bytes) {
    memory = TaskMemory.ofBytes(bytes);
    task = TaskMemory.task(memory);
  }

  /** For a moment. */
  private void take(long bytes) {
    TaskMemory.Greedy other = new TaskMemory.Greedy(memory);
    assertThat(other.acquireMemory(bytes)).isEqualTo(bytes);
    other.freeMemory(bytes);
  }

  private static Aggregator<Integer, Long, Long> sums() {
    return new Aggregator<>(value -> value, Long::sum, Long::sum);
  }

  /** Every key as often as any other: two of each, and all once more. */
  private static Iterator<Product2<Integer, Long>> ones() {
    return iterator(
        IntStream.range(0, RECORDS).mapToObj(i -> new Tuple2<>(i / 2 % KEYS, 1L)).toList());
  }

  private static <K, V> Iterator<Product2<K, V>> iterator(List<Tuple2<K, V>> records) {
    return JavaConverters.asScalaIterator(
        records.stream().<Product2<K, V>>map(record -> record).iterator());
  }

  private void assertEveryRecordOnce() {
    assertThat(pieces())
        .allSatisfy(piece -> assertThat((String) piece._2()).startsWith("value " + piece._1()))
        .extracting(Tuple2::_1)
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, RECORDS).boxed().toList());
  }

  /** What is in all blocks, each of the partition that it says. */
  private List<Tuple2<Object, Object>> pieces() {
    List<Tuple2<Object, Object>> pieces = new ArrayList<>();
    HashPartitioner partitioner = new HashPartitioner(PARTITIONS);
    for (HeapBlock block : output.blocks()) {
      Iterator<Tuple2<Object, Object>> records =
          serializer
              .newInstance()
              .deserializeStream(new ByteArrayInputStream(block.stored()))
              .asKeyValueIterator();
      while (block.rawLength() > 0 && records.hasNext()) {
        Tuple2<Object, Object> record = records.next();
        assertThat(partitioner.getPartition(record._1())).isEqualTo(block.partition());
        pieces.add(record);
      }
    }
    return pieces;
  }

  /** Sees each record once, before anything is combined. */
  private static final class CountedRows implements RowChecksums {
    private long count;

    @Override
    public void update(int partition, @Nullable Object key, @Nullable Object value) {
      count++;
    }

    @Override
    public long value() {
      return count;
    }
  }
}
