package org.apache.spark.shuffle.sluice.read;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.InterruptedIOException;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of a range as a task gets them: counts them in its metrics, makes Spark's failures of
 * what is missing, and ends with the task. Read by one thread, which need not be the task's: that
 * of {@code RDD.pipe} is another, and may still read as the task ends and closes this. What it
 * reads from is then closed when it has its piece; Spark has the memory back at once. What is
 * decoded on another core is handed over and taken back by whoever reads, or closes.
 */
public final class RawBlocks implements AutoCloseable {
  private final TaskContext context;
  private final ReadAhead ahead;
  private final PieceReader pieces;
  private final FetchFailures failures;
  private final ShuffleReadMetricsReporter metrics;
  private final CountedMemory memory;
  private long reportedBlocks;
  private long reportedBytes;
  private long reportedWaitMillis;
  // Of what was under way when reading failed nothing comes again.
  private boolean failed;
  // The first failure, of which whoever caught it and reads on is told.
  private @Nullable Throwable failure;
  // Both guarded by this.
  private boolean reading;
  private boolean closed;

  /**
   * @param ahead closed with this
   * @param memory of the pieces; closed with this
   */
  RawBlocks(
      TaskContext context,
      ReadAhead ahead,
      FetchFailures failures,
      ShuffleReadMetricsReporter metrics,
      CountedMemory memory) {
    this.context = context;
    this.ahead = ahead;
    this.pieces = ahead.pieces();
    this.failures = failures;
    this.metrics = metrics;
    this.memory = memory;
  }

  /**
   * The next piece, or null if there is none.
   *
   * @throws SluiceException CANCELLED if this was closed, or reading failed before and whoever read
   *     caught that: never taken for the end of what there is
   */
  public @Nullable Piece next() throws InterruptedIOException {
    context.killTaskIfInterrupted();
    beginReading();
    try {
      return read();
    } finally {
      endReading();
    }
  }

  private synchronized void beginReading() {
    if (closed) {
      throw new SluiceException(ErrorCode.CANCELLED, "blocks are read after their task ended");
    }
    reading = true;
  }

  private void endReading() {
    boolean last;
    synchronized (this) {
      reading = false;
      last = closed;
    }
    if (last) {
      ahead.close();
    }
  }

  private @Nullable Piece read() throws InterruptedIOException {
    if (failed) {
      throw new WentOnException("blocks are read on, some of which failed to be read", failure);
    }
    failed = true;
    Piece piece;
    try {
      piece = fetch();
    } catch (Throwable e) { // Spark's fetch failures are checked, and not declared.
      failure = e;
      throw e;
    }
    failed = false;
    reportProgress();
    memory.countDue();
    if (piece != null) {
      ahead.begin();
    }
    return piece;
  }

  private @Nullable Piece fetch() throws InterruptedIOException {
    try {
      return ahead.next();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException wrapped = new InterruptedIOException("interrupted while fetching");
      wrapped.initCause(e);
      throw wrapped;
    } catch (SluiceException e) {
      reportProgress();
      throw failures.translate(e);
    }
  }

  /**
   * For a piece that is not what it should be.
   *
   * @return never; throws Spark's fetch failure for the map that it is of
   */
  public SluiceException damaged(Piece piece, String what) {
    return failures.translate(
        new UnreadableBlockException(
            piece.firstBlock(), new SluiceException(ErrorCode.CORRUPT_BLOCK, what)));
  }

  /** What came since the last time. Not while another core may be at the pieces. */
  private void reportProgress() {
    long blocksRead = pieces.blocksRead();
    metrics.incRemoteBlocksFetched(blocksRead - reportedBlocks);
    reportedBlocks = blocksRead;
    long bytesRead = pieces.bytesRead();
    metrics.incRemoteBytesRead(bytesRead - reportedBytes);
    reportedBytes = bytesRead;
    long waitMillis = pieces.waitNanos() / 1_000_000;
    metrics.incFetchWaitTime(waitMillis - reportedWaitMillis);
    reportedWaitMillis = waitMillis;
  }

  /**
   * Drops what was not read and what it was read into, at once or when the thread that reads has
   * its piece. What no metric has yet of what came, as after a failure, is counted, unless another
   * thread reads: that counts it. Pieces that were given out stay as they are. Harmless when
   * repeated. Never throws.
   */
  @Override
  public void close() {
    boolean first;
    synchronized (this) {
      first = !closed && !reading;
      closed = true;
    }
    if (first) {
      ahead.close();
      reportProgress();
    }
    memory.close();
  }
}
