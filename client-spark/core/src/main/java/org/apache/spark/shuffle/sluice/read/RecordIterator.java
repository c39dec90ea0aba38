package org.apache.spark.shuffle.sluice.read;

import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * Counts records, and settles the task's read metrics and closes the blocks after the last one.
 * Used by one thread.
 */
final class RecordIterator<T> extends AbstractIterator<T> {
  /** Records between two updates of the counter, which goes through SQL's metrics too. */
  private static final int BATCH = 1024;

  private final Iterator<T> records;
  private final RawBlocks blocks;
  private final ShuffleReadMetricsReporter metrics;
  private final TaskContext context;
  private int uncounted;
  private boolean ended;

  RecordIterator(
      Iterator<T> records,
      RawBlocks blocks,
      ShuffleReadMetricsReporter metrics,
      TaskContext context) {
    this.records = records;
    this.blocks = blocks;
    this.metrics = metrics;
    this.context = context;
  }

  @Override
  public boolean hasNext() {
    if (ended) {
      return false;
    }
    if (records.hasNext()) {
      return true;
    }
    end();
    return false;
  }

  @Override
  public T next() {
    if (++uncounted == BATCH) {
      count();
    }
    return records.next();
  }

  private void count() {
    metrics.incRecordsRead(uncounted);
    uncounted = 0;
  }

  /** Ends early or in time; harmless when repeated. */
  void end() {
    if (!ended) {
      ended = true;
      count();
      blocks.close();
      context.taskMetrics().mergeShuffleReadMetrics();
    }
  }
}
