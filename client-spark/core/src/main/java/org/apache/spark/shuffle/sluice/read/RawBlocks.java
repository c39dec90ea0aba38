package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.sluice.codec.BlockDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of a range, decrypted and decompressed and with chains joined, so that each piece holds
 * whole records. Two buffers take turns: the piece before the current one stays intact, because
 * Spark's operators may use a row after they have asked whether there is another. Read by one
 * thread, which need not be the task's: that of {@code RDD.pipe} is another, and may still read as
 * the task ends and closes this. What it reads from is then closed when it has its piece.
 */
public final class RawBlocks implements AutoCloseable {
  // What virtual machines allow for an array.
  private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

  // A buffer longer than this, which one long record needed, is not kept for the pieces behind it.
  private static final int MAX_KEPT = 4 << 20;

  private static final byte[] NOTHING = {};

  private final TaskContext context;
  private final BlockReader reader;
  private final Payloads payloads;
  private final BlockDecoder decoder;
  private final FetchFailures failures;
  private final ShuffleReadMetricsReporter metrics;
  private byte[] bytes = NOTHING;
  private byte[] spare = NOTHING;
  private int length;
  private long reportedBytes;
  private long reportedWaitMillis;
  // Both guarded by this.
  private boolean reading;
  private boolean closed;

  /**
   * @param reader closed with this
   * @param decoder closed with this
   */
  RawBlocks(
      TaskContext context,
      BlockReader reader,
      Payloads payloads,
      BlockDecoder decoder,
      FetchFailures failures,
      ShuffleReadMetricsReporter metrics) {
    this.context = context;
    this.reader = reader;
    this.payloads = payloads;
    this.decoder = decoder;
    this.failures = failures;
    this.metrics = metrics;
  }

  /**
   * The next piece, or null if there is none.
   *
   * @throws IllegalStateException if this was closed: never taken for the end of what there is
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
      throw new IllegalStateException("blocks are read after their task ended");
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
      closeBoth();
    }
  }

  private @Nullable Piece read() throws InterruptedIOException {
    byte[] older = spare;
    spare = bytes;
    bytes = older.length > MAX_KEPT ? NOTHING : older;
    length = 0;
    BlockName first;
    do {
      BlockReader.Block block = receive();
      if (block == null) {
        reportProgress();
        return null;
      }
      first = BlockName.of(block);
      makeRoom(block, block.chainRawLength());
      append(block);
      while (block.continues()) {
        block = receive();
        if (block == null) {
          throw new SluiceException(
              ErrorCode.INTERNAL_ERROR, "the last block of a chain was not delivered");
        }
        append(block);
      }
    } while (length == 0);
    reportProgress();
    return new Piece(bytes, length, first);
  }

  /**
   * For a piece that is not what it should be.
   *
   * @return never; throws Spark's fetch failure for the map that it is of
   */
  public SluiceException damaged(Piece piece, String what) {
    return failures.damaged(piece.firstBlock(), new SluiceException(ErrorCode.CORRUPT_BLOCK, what));
  }

  private BlockReader.@Nullable Block receive() throws InterruptedIOException {
    try {
      return reader.next();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException wrapped = new InterruptedIOException("interrupted while fetching");
      wrapped.initCause(e);
      throw wrapped;
    } catch (SluiceException e) {
      throw failures.translate(e);
    }
  }

  /** Room for so many bytes behind what is there, exactly if that is much. */
  private void makeRoom(BlockReader.Block block, long more) {
    long end = length + more;
    if (end > MAX_ARRAY) {
      throw new SluiceException(
          ErrorCode.BLOCK_TOO_LARGE,
          "a record of map "
              + block.mapIndex()
              + " in partition "
              + block.partition()
              + " is longer than an array can be");
    }
    if (end > bytes.length) {
      // At least doubling, so that a chain of unknown length is copied O(1) times a byte.
      long doubled = length == 0 ? Math.min(MAX_KEPT, 2L * bytes.length) : 2L * bytes.length;
      int capacity = (int) Math.min(MAX_ARRAY, Math.max(end, doubled));
      bytes = length == 0 ? new byte[capacity] : Arrays.copyOf(bytes, capacity);
    }
  }

  private void append(BlockReader.Block block) {
    makeRoom(block, block.rawLength());
    int end = length + block.rawLength();
    try {
      decoder.decode(block.codec(), payloads.of(block), bytes, length, block.rawLength());
    } catch (SluiceException e) {
      throw e.code().blame() == Blame.CORRUPTION ? failures.damaged(BlockName.of(block), e) : e;
    }
    length = end;
    metrics.incRemoteBlocksFetched(1);
  }

  private void reportProgress() {
    long bytesRead = reader.bytesRead();
    metrics.incRemoteBytesRead(bytesRead - reportedBytes);
    reportedBytes = bytesRead;
    long waitMillis = reader.waitNanos() / 1_000_000;
    metrics.incFetchWaitTime(waitMillis - reportedWaitMillis);
    reportedWaitMillis = waitMillis;
  }

  /**
   * Drops what was not read and what it was read into, at once or when the thread that reads has
   * its piece. Pieces that were given out stay as they are. Harmless when repeated. Never throws.
   */
  @Override
  public void close() {
    boolean first;
    synchronized (this) {
      first = !closed && !reading;
      closed = true;
    }
    if (first) {
      closeBoth();
    }
  }

  private void closeBoth() {
    reader.close();
    decoder.close();
    bytes = NOTHING;
    spare = NOTHING;
  }
}
