package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.unsafe.Platform;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordPagesTest {
  private static final int PARTITIONS = 4;
  private static final long MIB = 1 << 20;

  private final TaskArrays arrays = new TaskArrays(2, 8 * MIB);

  private final List<String> drained = new ArrayList<>();
  private final List<String> alone = new ArrayList<>();
  private int drains;

  @Test
  void keepsRecordsUntilTheEndWhenMemoryIsPlenty() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    try (RecordPages pages = pages(memory, 32 * MIB)) {
      List<String> appended = append(pages, 10_000);
      assertThat(drains).isZero();

      pages.finish();

      assertDrained(appended);
      assertThat(drains).isEqualTo(1);
      assertThat(pages.spilledBytes()).isZero();
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void drainsAtTheBoundAndUsesItsPagesAgain() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    try (RecordPages pages = pages(memory, 2 * MIB)) {
      List<String> appended = append(pages, 100_000);
      pages.finish();

      assertDrained(appended);
      assertThat(drains).isGreaterThan(3);
      assertThat(pages.peakBytes()).isLessThanOrEqualTo(2 * MIB);
      assertThat(pages.spilledBytes()).as("a bound of ours is no spill").isZero();
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void pagesStayForTheNextTask() throws IOException {
    Set<Object> before = pagesOfATask();
    Set<Object> after = pagesOfATask();
    // 64 and 128 KiB are not kept, the others have 256.
    assertThat(before).hasSizeGreaterThan(10);
    assertThat(after).hasSameSizeAs(before);
    after.removeAll(before);
    assertThat(after).hasSize(2);
  }

  private Set<Object> pagesOfATask() throws IOException {
    Set<Object> used = Collections.newSetFromMap(new IdentityHashMap<>());
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    RecordPages.Drain drain =
        new Drained() {
          @Override
          public void drain(RecordPages pages) {
            long[] sorted = pages.sort(new PageSorter(PARTITIONS));
            for (int i = 0; i < pages.count(); i++) {
              used.add(pages.base(sorted[i]));
            }
          }
        };
    try (RecordPages pages = new RecordPages(memory, arrays, PARTITIONS, bounds(8 * MIB), drain)) {
      append(pages, 100_000);
      pages.finish();
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
    return used;
  }

  @Test
  void aRecordLongerThanAPageTakesThePlaceOfEmptyOnes() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    try (RecordPages pages = pages(memory, 4 * MIB)) {
      append(pages, 100_000);
      int before = drains;
      String record = "x".repeat(300 << 10);
      for (int i = 0; i < 20; i++) {
        append(pages, 1, record);
        append(pages, 100);
      }
      assertThat(drains - before).isLessThan(8);
      assertThat(pages.peakBytes()).isLessThanOrEqualTo(4 * MIB);
      pages.finish();
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void drainsWhenMemoryIsRefused() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(3 * MIB);
    try (RecordPages pages = pages(memory, 1024 * MIB)) {
      List<String> appended = append(pages, 100_000);
      pages.finish();

      assertDrained(appended);
      assertThat(drains).isGreaterThan(2);
      assertThat(pages.spilledBytes()).isPositive();
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void failsTheTaskWhenThereIsNoMemoryEvenForOneRecord() {
    TaskMemoryManager memory = TaskMemory.ofBytes(MIB / 2);
    try (RecordPages pages = pages(memory, 1024 * MIB)) {
      assertThatThrownBy(() -> append(pages, 0, "x".repeat((int) MIB)))
          .isInstanceOf(SparkOutOfMemoryError.class);
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void drainsTinyRecordsAtTheBoundOfItsEntries() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    try (RecordPages pages = pages(memory, 2 * MIB)) {
      for (int i = 0; i < 300_000; i++) {
        append(pages, i % PARTITIONS, "x");
      }
      pages.finish();
      assertThat(drained).hasSize(300_000);
      assertThat(pages.peakBytes()).isLessThanOrEqualTo(2 * MIB);
      assertThat(pages.spilledBytes()).as("a bound of ours is no spill").isZero();
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void failsTheTaskWhenTheHeapHasNoRoomToSort() {
    AtomicBoolean full = new AtomicBoolean();
    TaskArrays onFullHeap =
        new TaskArrays(
            2,
            8 * MIB,
            length -> {
              if (full.get()) {
                throw new OutOfMemoryError("full, says the test");
              }
              return new long[length];
            });
    TaskMemoryManager memory = TaskMemory.ofBytes(64 * MIB);
    try (RecordPages pages =
        new RecordPages(memory, onFullHeap, PARTITIONS, bounds(8 * MIB), new Drained())) {
      assertThatThrownBy(
              () -> {
                append(pages, 1000);
                full.set(true);
                pages.finish();
              })
          .isInstanceOf(SparkOutOfMemoryError.class);
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void givesEverythingBackToAnotherOperatorOfTheTask() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(8 * MIB);
    try (RecordPages pages = pages(memory, 1024 * MIB)) {
      List<String> appended = append(pages, 50_000);
      assertThat(drains).isZero();

      TaskMemory.Greedy other = new TaskMemory.Greedy(memory);
      long held = pages.getUsed();
      assertThat(other.acquireMemory(8 * MIB)).isEqualTo(8 * MIB);
      assertThat(pages.getUsed()).isZero();
      assertThat(pages.spilledBytes()).isEqualTo(held).isPositive();
      assertDrained(appended);
      other.freeMemory(8 * MIB);

      appended.addAll(append(pages, 20_000));
      pages.finish();
      assertDrained(appended);
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void refusesToSpillFromAnotherThread() throws Exception {
    TaskMemoryManager memory = TaskMemory.ofBytes(8 * MIB);
    try (RecordPages pages = pages(memory, 1024 * MIB)) {
      append(pages, 1000);
      TaskMemory.Greedy other = new TaskMemory.Greedy(memory);
      long granted = CompletableFuture.supplyAsync(() -> other.acquireMemory(8 * MIB)).get();
      assertThat(granted).isLessThan(8 * MIB);
      assertThat(drains).isZero();
      other.freeMemory(granted);
    }
  }

  @Test
  void holdsRecordsLongerThanAPageAndWorksOffHeap() throws IOException {
    TaskMemoryManager memory = TaskMemory.offHeapOfBytes(64 * MIB);
    try (RecordPages pages = pages(memory, 16 * MIB)) {
      List<String> appended = append(pages, 1000);
      String record = "x".repeat((int) (3 * MIB));
      append(pages, 1, record);
      appended.add("1:" + record);
      appended.addAll(append(pages, 1000));
      pages.finish();
      assertDrained(appended);
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void offTheHeapEachPoolIsChargedWithWhatLiesInIt() throws IOException {
    UnifiedMemoryManager pools = TaskMemory.manager(64 * MIB, true);
    TaskMemoryManager memory = new TaskMemoryManager(pools, 7);
    try (RecordPages pages = pages(memory, 32 * MIB)) {
      List<String> appended = append(pages, 10_000);
      // Entries of eight bytes, twice, in arrays that double from 4,096 of them.
      assertThat(pools.onHeapExecutionMemoryUsed()).isEqualTo(16_384 * 16);
      assertThat(pools.offHeapExecutionMemoryUsed()).isEqualTo(pages.pageBytes()).isPositive();
      long held = pages.heldBytes();
      assertThat(held).isEqualTo(16_384 * 16 + pages.pageBytes());
      assertThat(pages.getUsed()).isEqualTo(pages.pageBytes());

      TaskMemory.Greedy other = new TaskMemory.Greedy(memory, MemoryMode.ON_HEAP);
      assertThat(other.acquireMemory(64 * MIB)).isEqualTo(64 * MIB);
      assertDrained(appended);
      assertThat(pages.spilledBytes()).isEqualTo(held);
      assertThat(pools.offHeapExecutionMemoryUsed()).isZero();
      other.freeMemory(64 * MIB);

      appended.addAll(append(pages, 10_000));
      TaskMemory.Greedy off = new TaskMemory.Greedy(memory);
      assertThat(off.acquireMemory(64 * MIB)).isEqualTo(64 * MIB);
      assertThat(pages.heldBytes()).isZero();
      assertThat(pools.onHeapExecutionMemoryUsed()).isZero();
      assertThat(pages.spilledBytes()).isEqualTo(2 * held);
      assertThat(pages.peakBytes()).isEqualTo(held);
      off.freeMemory(64 * MIB);

      appended.addAll(append(pages, 10_000));
      pages.finish();
      assertDrained(appended);
    }
    assertThat(pools.onHeapExecutionMemoryUsed()).isZero();
    assertThat(pools.offHeapExecutionMemoryUsed()).isZero();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  /** Off the heap there is plenty. */
  @Test
  void drainsWhereTheHeapIsRefusedForEntries() throws IOException {
    TaskMemoryManager memory = new TaskMemoryManager(TaskMemory.manager(64 * MIB, true), 7);
    TaskMemory.Greedy other = new TaskMemory.Greedy(memory, MemoryMode.ON_HEAP);
    assertThat(other.acquireMemory(63 * MIB)).isEqualTo(63 * MIB);
    try (RecordPages pages = pages(memory, 32 * MIB)) {
      List<String> appended = append(pages, 100_000);
      pages.finish();
      assertDrained(appended);
      assertThat(drains).isGreaterThan(1);
      assertThat(pages.spilledBytes()).isPositive();
    }
    other.freeMemory(63 * MIB);
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void sharesAPageOfOneGiantRecordOnlyAsFarAsEntriesReach() throws IOException {
    int giant = (1 << 27) + (8 << 20);
    int small = 1 << 20;
    byte[] bytes = new byte[giant];
    Arrays.fill(bytes, (byte) 'x');
    TaskMemoryManager memory = TaskMemory.ofBytes(512 * MIB);
    Map<Integer, Integer> recordsByLength = new TreeMap<>();
    RecordPages.Drain count =
        new Drained() {
          @Override
          public void drain(RecordPages pages) {
            PageSorter sorter = new PageSorter(PARTITIONS);
            long[] sorted = pages.sort(sorter);
            for (int i = 0; i < pages.count(); i++) {
              int length = RecordPages.length(pages.base(sorted[i]), pages.offset(sorted[i]));
              recordsByLength.merge(length, 1, Integer::sum);
            }
          }
        };
    try (RecordPages pages =
        new RecordPages(memory, arrays, PARTITIONS, bounds(200 * MIB), count)) {
      pages.append(1, bytes, Platform.BYTE_ARRAY_OFFSET, giant);
      for (int i = 0; i < 300; i++) {
        pages.append(i % PARTITIONS, bytes, Platform.BYTE_ARRAY_OFFSET, small);
      }
      pages.finish();
    }
    assertThat(recordsByLength).isEqualTo(Map.of(giant, 1, small, 300));
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void doesNotCopyARecordThatIsLongerThanItsBound() throws IOException {
    TaskMemoryManager memory = TaskMemory.ofBytes(2 * MIB);
    try (RecordPages pages = pages(memory, MIB)) {
      List<String> appended = append(pages, 100);
      String record = "x".repeat((int) (3 * MIB));
      append(pages, 2, record);
      assertThat(alone).containsExactly("2:" + record);
      assertDrained(appended);

      appended.addAll(append(pages, 100));
      pages.finish();
      assertDrained(appended);
      assertThat(alone).hasSize(1);
      assertThat(pages.peakBytes()).isLessThanOrEqualTo(MIB);
    }
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  private void assertDrained(List<String> appended) {
    List<String> expected = new ArrayList<>(appended);
    Collections.sort(expected);
    Collections.sort(drained);
    assertThat(drained).isEqualTo(expected);
  }

  private RecordPages pages(TaskMemoryManager memory, long maxBufferedBytes) {
    return new RecordPages(memory, arrays, PARTITIONS, bounds(maxBufferedBytes), new Drained());
  }

  private static BufferBounds bounds(long memory) {
    return BufferBounds.of(memory, PARTITIONS, 256 << 10);
  }

  private class Drained implements RecordPages.Drain {
    @Override
    public void drain(RecordPages pages) {
      drainTo(pages);
    }

    @Override
    public void pushAlone(int partition, @Nullable Object base, long offset, int length) {
      byte[] record = new byte[length];
      Platform.copyMemory(base, offset, record, Platform.BYTE_ARRAY_OFFSET, length);
      alone.add(partition + ":" + new String(record, StandardCharsets.UTF_8));
    }
  }

  private void drainTo(RecordPages pages) {
    drains++;
    PageSorter sorter = new PageSorter(PARTITIONS);
    long[] sorted = pages.sort(sorter);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      long bytes = 0;
      for (int i = sorter.begin(partition); i < sorter.end(partition); i++) {
        Object base = pages.base(sorted[i]);
        long offset = pages.offset(sorted[i]);
        byte[] record = new byte[RecordPages.length(base, offset)];
        Platform.copyMemory(
            base, offset + RecordPages.PREFIX, record, Platform.BYTE_ARRAY_OFFSET, record.length);
        drained.add(partition + ":" + new String(record, StandardCharsets.UTF_8));
        bytes += record.length + RecordPages.PREFIX;
      }
      assertThat(pages.bytes(partition)).isEqualTo(bytes);
    }
  }

  private static List<String> append(RecordPages pages, int count) throws IOException {
    List<String> appended = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String record = "record " + i + " of " + count + "x".repeat(i % 60);
      int partition = i * 7 % PARTITIONS;
      append(pages, partition, record);
      appended.add(partition + ":" + record);
    }
    return appended;
  }

  private static void append(RecordPages pages, int partition, String record) throws IOException {
    byte[] bytes = record.getBytes(StandardCharsets.UTF_8);
    pages.append(partition, bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length);
  }
}
