package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;
import io.sluice.common.security.BlockKeys;
import io.sluice.common.time.Clock;
import org.apache.spark.MapOutputTracker;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.codec.BlockDecoder;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.store.ReadRange;
import org.apache.spark.shuffle.sluice.store.ShuffleStore;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.UninterruptibleThread;
import org.jspecify.annotations.Nullable;

/** Makes the readers of a process's reduce tasks. Thread-safe. */
public final class ReduceReaders {
  private final SparkLine line;
  private final SpareCores cores;
  private final MapOutputTracker tracker;
  private final ShuffleStore store;
  private final BlockCodecs codecs;
  private final @Nullable BlockKeys keys;
  private final MissingMaps.Listener driver;
  private final TaskAttempts attempts;
  private final int processors = Runtime.getRuntime().availableProcessors();

  /**
   * @param keys null if the application does not encrypt its blocks
   * @param driver told of map outputs that are not to be had
   * @param attempts how often a task is run
   */
  public ReduceReaders(
      SparkLine line,
      SpareCores cores,
      MapOutputTracker tracker,
      ShuffleStore store,
      BlockCodecs codecs,
      @Nullable BlockKeys keys,
      MissingMaps.Listener driver,
      TaskAttempts attempts) {
    this.line = line;
    this.cores = cores;
    this.tracker = tracker;
    this.store = store;
    this.codecs = codecs;
    this.keys = keys;
    this.driver = driver;
    this.attempts = attempts;
  }

  /** A reader for the calling task; it is closed when the task completes. */
  public <K, C> ShuffleReader<K, C> open(
      SluiceShuffleHandle<K, ?, C> handle,
      ReadRange range,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    cores.atWork(context);
    int shuffleId = handle.shuffleId();
    Winners winners =
        Winners.of(
            tracker.getMapSizesByExecutorId(
                shuffleId,
                range.firstMap(),
                range.endMap(),
                range.firstPartition(),
                range.endPartition()),
            range);
    CountedMemory memory = memory(context, winners.bytes());
    TaskEnd taskEnd = new TaskEnd();
    taskEnd.run(memory::close);
    context.addTaskCompletionListener((TaskCompletionListener) taskEnd);
    Payloads payloads = new Payloads(keys == null ? null : keys.decryption());
    BlockDecoder decoder = new BlockDecoder(codecs, handle.codec());
    FetchFailures failures =
        new FetchFailures(shuffleId, winners, driver, attempts.isLast(context));
    // Last of all that may fail: it asks servers, and is to be closed.
    BlockReader reader = store.read(handle.placement(), range, winners.expected(), memory);
    PieceReader pieces = new PieceReader(reader, payloads, decoder, memory, Clock.system());
    RawBlocks blocks =
        new RawBlocks(context, new ReadAhead(pieces, cores), failures, metrics, memory);
    taskEnd.run(blocks::close);
    return new SluiceShuffleReader<>(line, dependency(handle), context, blocks, taskEnd, metrics);
  }

  private CountedMemory memory(TaskContext context, long expectedBytes) {
    TaskMemoryManager memory = context.taskMemoryManager();
    UnusedMemory unused =
        new UnusedMemory(
            SparkEnv.get().memoryManager(),
            Math.max(processors, cores.tasksAtOnce()),
            memory,
            context.taskAttemptId());
    return new CountedMemory(memory, unused, taskThread(), expectedBytes);
  }

  /** The calling thread if that is one of an executor; {@code RDD.pipe}'s is not. */
  private static @Nullable Thread taskThread() {
    Thread calling = Thread.currentThread();
    return calling instanceof UninterruptibleThread ? calling : null;
  }

  @SuppressWarnings("unchecked") // A reader never sees what maps combined from.
  private static <K, C> ShuffleDependency<K, Object, C> dependency(
      SluiceShuffleHandle<K, ?, C> handle) {
    return (ShuffleDependency<K, Object, C>) handle.dependency();
  }
}
