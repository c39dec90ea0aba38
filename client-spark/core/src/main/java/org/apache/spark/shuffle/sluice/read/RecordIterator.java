package org.apache.spark.shuffle.sluice.read;

import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * Counts records, and settles the task's read metrics and closes the blocks after the last one, or
 * as the task ends. Keeps nothing of them from then on, since operators may keep this for longer.
 * Used by one thread, but for the end.
 */
final class RecordIterator<T> extends AbstractIterator<T> {
  /** Records between two updates of the counter, which goes through SQL's metrics too. */
  private static final int BATCH = 1024;

  private final RawBlocks blocks;
  private final ShuffleReadMetricsReporter metrics;
  private final TaskContext context;
  private final TaskEnd taskEnd;
  private @Nullable Iterator<T> records;
  private int uncounted;

  /**
   * @param records null from the end on
   * @param taskEnd has {@link #end} run as the task ends
   */
  RecordIterator(
      Iterator<T> records,
      RawBlocks blocks,
      ShuffleReadMetricsReporter metrics,
      TaskContext context,
      TaskEnd taskEnd) {
    this.records = records;
    this.blocks = blocks;
    this.metrics = metrics;
    this.context = context;
    this.taskEnd = taskEnd;
  }

  @Override
  public boolean hasNext() {
    // As Spark's own readers do: most records are there already, so nothing else would notice.
    context.killTaskIfInterrupted();
    Iterator<T> current = records;
    if (current == null) {
      return false;
    }
    if (current.hasNext()) {
      return true;
    }
    end();
    return false;
  }

  @Override
  public T next() {
    Iterator<T> current = records;
    if (current == null) {
      throw new NoSuchElementException("no more records");
    }
    if (++uncounted == BATCH) {
      count();
    }
    return current.next();
  }

  private void count() {
    metrics.incRecordsRead(uncounted);
    uncounted = 0;
  }

  /** Ends early or in time; harmless when repeated. */
  void end() {
    if (records != null) {
      records = null;
      count();
      blocks.close();
      taskEnd.forget();
      context.taskMetrics().mergeShuffleReadMetrics();
    }
  }
}
