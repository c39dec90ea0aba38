package io.sluice.tier.hdfs;

import io.sluice.common.time.Clock;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the Hadoop client's blocking calls on threads of its own, as one user, each with a
 * deadline. Thread-safe.
 *
 * <p>A call past its deadline is interrupted and given up; its thread is lost to others until the
 * client lets it go. Threads are bounded, so when all of them hang, calls fail at once.
 */
final class HdfsCalls implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HdfsCalls.class);
  private static final long IDLE_SECONDS = 60;

  private final HdfsUser user;
  private final long deadlineNanos;
  private final LongSupplier nanosLeft;
  private final ThreadPoolExecutor threads;

  /**
   * @param threadsMax calls under way at once
   * @param deadlineNanos for each of them
   */
  HdfsCalls(HdfsUser user, int threadsMax, long deadlineNanos) {
    this.user = user;
    this.deadlineNanos = deadlineNanos;
    this.nanosLeft = () -> deadlineNanos;
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            0,
            threadsMax,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "hdfs-call-" + number.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
  }

  private HdfsCalls(
      HdfsUser user, ThreadPoolExecutor threads, long deadlineNanos, LongSupplier nanosLeft) {
    this.user = user;
    this.threads = threads;
    this.deadlineNanos = deadlineNanos;
    this.nanosLeft = nanosLeft;
  }

  /** Calls on the same threads in somebody else's name; they end with these, and are not closed. */
  HdfsCalls inTheNameOf(String other) {
    return new HdfsCalls(user.inTheNameOf(other), threads, deadlineNanos, nanosLeft);
  }

  /**
   * Calls on the same threads that take no longer all together than one may, from now on; not
   * closed. Those for which no time is left are not begun.
   */
  HdfsCalls together(Clock clock) {
    long end = clock.nanoTime() + deadlineNanos;
    return new HdfsCalls(user, threads, deadlineNanos, () -> end - clock.nanoTime());
  }

  /** The same calls, none of which takes longer than this. */
  HdfsCalls atMost(long nanos) {
    return new HdfsCalls(
        user, threads, deadlineNanos, () -> Math.min(nanos, nanosLeft.getAsLong()));
  }

  HdfsUser user() {
    return user;
  }

  /** Of one call, the longest there is. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /**
   * Makes a call and waits for it.
   *
   * @param what for messages: a verb and its object
   * @throws IOException the call's own, or that it did not end in time or could not begin
   */
  <T> T call(String what, Callable<T> call) throws IOException {
    long nanos = nanosLeft.getAsLong();
    if (nanos <= 0) {
      throw new IOException("HDFS: no time was left to " + what);
    }
    Future<T> result = begin(what, call);
    try {
      return result.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      result.cancel(true);
      throw new IOException("HDFS: " + what + " took longer than " + nanos / 1_000_000 + " ms", e);
    } catch (InterruptedException e) {
      result.cancel(true);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: " + what);
    } catch (ExecutionException e) {
      throw failure(what, e.getCause() == null ? e : e.getCause());
    }
  }

  /**
   * The same for a call that opens something: if that comes too late for whoever waited, it is
   * closed where it was opened.
   */
  <T extends Closeable> T open(String what, Callable<T> call) throws IOException {
    AtomicBoolean settled = new AtomicBoolean();
    AtomicReference<@Nullable T> inTime = new AtomicReference<>();
    try {
      return call(
          what,
          () -> {
            T opened = call.call();
            inTime.set(opened);
            if (!settled.compareAndSet(false, true)) {
              opened.close();
            }
            return opened;
          });
    } catch (IOException e) {
      T opened = settled.compareAndSet(false, true) ? null : inTime.get();
      if (opened == null) {
        throw e;
      }
      return opened; // at the last moment
    }
  }

  /** Begins a call whose end the caller does not wait for, or not here. */
  private <T> Future<T> begin(String what, Callable<T> call) throws IOException {
    PrivilegedExceptionAction<T> action = call::call;
    try {
      return threads.submit(() -> user.doAs(action));
    } catch (RejectedExecutionException e) {
      throw new IOException(
          threads.isShutdown()
              ? "HDFS: closed before: " + what
              : "HDFS: all " + threads.getMaximumPoolSize() + " calls hang, so not begun: " + what,
          e);
    }
  }

  /**
   * Runs a task soon, as the user, if a thread is free. The task keeps its failures to itself.
   *
   * @return whether it will run
   */
  boolean offer(Runnable task) {
    try {
      threads.execute(() -> run(task));
      return true;
    } catch (RejectedExecutionException busyOrClosed) {
      return false;
    }
  }

  private void run(Runnable task) {
    try {
      user.doAs(
          () -> {
            task.run();
            return true;
          });
    } catch (IOException | InterruptedException e) {
      log.warn("HDFS: cannot act as {}", user, e);
    }
  }

  /** Keeps the kind of an I/O failure, and adds what was being done. */
  private static IOException failure(String what, Throwable cause) {
    if (cause instanceof IOException failure) {
      return failure;
    }
    // The client throws unchecked ones, too, when it is closed or interrupted under way.
    return new IOException("HDFS: " + what + ": " + cause, cause);
  }

  /** Gives up what is under way; does not wait for it. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
