package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;
import io.sluice.client.Gap;
import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.security.BlockKeys;
import io.sluice.common.time.Clock;
import java.util.List;
import org.apache.spark.MapOutputTracker;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sluice.codec.BlockDecoder;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.store.DataPath;
import org.apache.spark.shuffle.sluice.store.ReadRange;
import org.apache.spark.shuffle.sluice.store.ShufflePlaces;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.UninterruptibleThread;
import org.jspecify.annotations.Nullable;

/** Makes the readers of a process's reduce tasks. Thread-safe. */
public final class ReduceReaders {
  private final SparkLine line;
  private final DataPath path;
  private final ShufflePlaces places;
  private final MapOutputTracker tracker;
  private final MissingMaps.Listener driver;
  private final TaskAttempts attempts;

  /**
   * @param driver told of map outputs that are not to be had
   * @param attempts how often a task is run
   */
  public ReduceReaders(
      SparkLine line,
      DataPath path,
      ShufflePlaces places,
      MapOutputTracker tracker,
      MissingMaps.Listener driver,
      TaskAttempts attempts) {
    this.line = line;
    this.path = path;
    this.places = places;
    this.tracker = tracker;
    this.driver = driver;
    this.attempts = attempts;
  }

  /** A reader for the calling task; it is closed when the task completes. */
  public <K, C> ShuffleReader<K, C> open(
      SluiceShuffleHandle<K, ?, C> handle,
      ReadRange range,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    path.cores().atWork(context);
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
    FetchFailures failures =
        new FetchFailures(shuffleId, winners, driver, attempts.isLast(context));
    if (!winners.elsewhere().isEmpty()) {
      throw failures.translate(elsewhere(handle, winners));
    }
    ShufflePlacement placement = winners.isEmpty() ? handle.placement() : places.of(handle);
    CountedMemory memory = memory(context, winners.bytes());
    TaskEnd taskEnd = new TaskEnd();
    taskEnd.run(memory::close);
    context.addTaskCompletionListener((TaskCompletionListener) taskEnd);
    BlockKeys keys = path.keys();
    Payloads payloads = new Payloads(keys == null ? null : keys.decryption());
    BlockDecoder decoder = new BlockDecoder(path.codecs(), handle.codec());
    // Last of all that may fail: it asks servers, and is to be closed.
    BlockReader reader = path.store().read(placement, range, winners.expected(), memory);
    PieceReader pieces = new PieceReader(reader, payloads, decoder, memory, Clock.system());
    RawBlocks blocks =
        new RawBlocks(context, new ReadAhead(pieces, path.cores()), failures, metrics, memory);
    taskEnd.run(blocks::close);
    return new SluiceShuffleReader<>(line, dependency(handle), context, blocks, taskEnd, metrics);
  }

  /** As if lost: Spark has the maps run again, and their outputs are where they should be then. */
  private static MissingBlocksException elsewhere(
      SluiceShuffleHandle<?, ?, ?> handle, Winners winners) {
    List<MissingMap> maps = winners.elsewhere();
    return new MissingBlocksException(
        ErrorCode.DATA_LOST,
        Gap.of(handle.placement().shuffle(), maps),
        "Spark has outputs in a place that is not Sluice's: "
            + winners.location(maps.get(0).mapIndex()));
  }

  private CountedMemory memory(TaskContext context, long expectedBytes) {
    TaskMemoryManager memory = context.taskMemoryManager();
    UnusedMemory unused =
        new UnusedMemory(
            SparkEnv.get().memoryManager(),
            path.cores()::tasksAtOnce,
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
