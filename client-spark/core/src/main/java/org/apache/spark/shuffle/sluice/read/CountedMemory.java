package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.ClientConfig;
import io.sluice.client.ReaderMemory;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.jspecify.annotations.Nullable;

/**
 * Has a reader's memory counted with Spark: what servers may have under way, what is decoded into,
 * what is held of long records. Spark then has less to lend to others, and a reader that finds
 * little left takes little credit.
 *
 * <p>Counting must cost nobody what works without it. So only {@link UnusedMemory} is asked for: no
 * task waits, nothing is spilled and nothing that is cached is dropped for a reader. What is needed
 * and is not to be had is taken all the same, and not counted. And what another operator of the
 * task asks back it gets at once, here too only on paper, as far as what it is for is still there.
 *
 * <p>Spark's memory is asked for on the task's thread only, since asking may have others spill that
 * count on that. It is given back on any. Thread-safe; no lock is held while Spark's are taken.
 */
final class CountedMemory extends MemoryConsumer implements ReaderMemory, AutoCloseable {
  private final UnusedMemory unused;
  private final @Nullable Thread taskThread;
  private final long expectedBytes;
  private final Object lock = new Object();

  // All guarded by lock. Of what is held so much is counted, never more; and so much was never
  // asked for.
  private long held;
  private long counted;
  private long due;
  private boolean closed;

  /**
   * @param unused what may be taken
   * @param taskThread the task's, if that is known: else nothing is counted
   * @param expectedBytes how much there is to read, as far as map statuses tell
   */
  CountedMemory(
      TaskMemoryManager memory,
      UnusedMemory unused,
      @Nullable Thread taskThread,
      long expectedBytes) {
    super(memory, MemoryMode.ON_HEAP);
    this.unused = unused;
    this.taskThread = taskThread;
    this.expectedBytes = expectedBytes;
  }

  /**
   * What is wanted, if as much of it as there is to read could be counted; else as much as could,
   * and the least that a reader gets on with if that is more.
   */
  @Override
  public long credit(long wanted) {
    if (!isTaskThread()) {
      return wanted;
    }
    long least = ClientConfig.LEAST_READER_CREDIT_BYTES;
    long underWay = Math.min(wanted, Math.max(least, expectedBytes));
    synchronized (lock) {
      held += underWay;
    }
    long got = count(underWay);
    if (got == underWay) {
      return wanted;
    }
    long credit = Math.max(least, got);
    shrink(underWay - credit);
    return credit;
  }

  @Override
  public void held(long bytes) {
    if (bytes < 0) {
      shrink(-bytes);
      return;
    }
    synchronized (lock) {
      held += bytes;
      due += bytes;
    }
    countDue();
  }

  /**
   * Counts what is held since other threads said so, as far as it can be: once, since what Spark
   * has not got now is not asked for each time again. On any thread, and of use on the task's only.
   */
  void countDue() {
    if (isTaskThread()) {
      long asked;
      synchronized (lock) {
        asked = closed ? 0 : Math.min(due, held - counted);
        due = 0;
      }
      if (asked > 0) {
        count(asked);
      }
    }
  }

  private boolean isTaskThread() {
    return Thread.currentThread() == taskThread;
  }

  /** As much of it as is unused. On the task's thread. */
  private long count(long bytes) {
    long got = unused.take(bytes, this);
    long surplus;
    synchronized (lock) {
      counted += got;
      surplus = takeSurplus();
    }
    giveBack(surplus);
    return got;
  }

  private void shrink(long bytes) {
    long surplus;
    synchronized (lock) {
      held -= bytes;
      surplus = takeSurplus();
    }
    giveBack(surplus);
  }

  /** What is counted and is not held any more; from here on it is not counted either. */
  private long takeSurplus() {
    long surplus = Math.max(0, counted - (closed ? 0 : held));
    counted -= surplus;
    return surplus;
  }

  private void giveBack(long bytes) {
    if (bytes > 0) {
      freeMemory(bytes);
    }
  }

  @Override
  public long spill(long size, MemoryConsumer trigger) {
    if (trigger == this) {
      return 0;
    }
    long given;
    synchronized (lock) {
      given = Math.min(size, counted);
      counted -= given;
    }
    giveBack(given);
    return given;
  }

  /** Bytes that are counted. */
  @Override
  public long getUsed() {
    synchronized (lock) {
      return counted;
    }
  }

  /** Gives everything back, whatever is still held. Harmless when repeated. */
  @Override
  public void close() {
    long surplus;
    synchronized (lock) {
      closed = true;
      surplus = takeSurplus();
    }
    giveBack(surplus);
  }
}
