package io.sluice.client.push;

import io.sluice.client.TaskSignal;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Frame memory that a map output has handed to connections and not back yet, what was handed back,
 * and whether the output is still worth anything. The one place where a task's thread and event
 * loops meet: the thread adds and waits, loops subtract, hand back and fail.
 *
 * <p>A frame that was handed back counts as in flight until its blocks have been copied into frames
 * for other servers. So what is open, under way and handed back stays within the output's memory;
 * and the thread, which alone can make handed-back frames go away, never waits for those: {@link
 * #held} says how many bytes they are.
 */
final class InFlight {
  private final TaskSignal signal;
  private final Clock clock;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong held = new AtomicLong();

  // Guarded by itself.
  private final ArrayDeque<ReturnedFrame> returned = new ArrayDeque<>();
  private boolean closed;

  // Whether `returned` has any; read by the thread for every block.
  private volatile boolean hasReturned;

  private final AtomicReference<@Nullable SluiceException> failure = new AtomicReference<>();
  private volatile boolean abandoned;
  private volatile boolean acked;

  // What the thread waits for: set before it looks at `bytes`, read after they were changed, so
  // that one of the two sees the other. No wake-up before there is anything to do.
  private volatile long awaited = -1;
  private long waitNanos;

  InFlight(TaskSignal signal, Clock clock) {
    this.signal = signal;
    this.clock = clock;
  }

  // -------------------------------------------------------------------------------- any thread

  boolean abandoned() {
    return abandoned;
  }

  void add(long count) {
    bytes.addAndGet(count);
  }

  void subtract(long count) {
    long left = bytes.addAndGet(-count);
    long goal = awaited;
    if (goal >= 0 && (left <= goal || left <= held.get())) {
      signal.signal();
    }
  }

  /** A server has not taken blocks: the thread sends them elsewhere. */
  void giveBack(ReturnedFrame frame) {
    boolean late;
    synchronized (returned) {
      late = closed;
      if (!late) {
        returned.add(frame);
        held.addAndGet(frame.capacity());
        hasReturned = true;
      }
    }
    if (late) {
      frame.release();
    } else {
      signal.signal();
    }
  }

  /** Blocks were acknowledged. */
  void acked() {
    if (!acked) {
      acked = true;
    }
  }

  /** Remembers the first failure. */
  void fail(SluiceException cause) {
    failure.compareAndSet(null, cause);
    abandoned = true;
    signal.signal();
  }

  void abandon() {
    abandoned = true;
  }

  // ------------------------------------------------------------------------- the task's thread

  /** Throws what a connection reported, if it did. */
  void check() {
    SluiceException cause = failure.get();
    if (cause != null) {
      // A new exception, so that the trace shows the task as well as the event loop.
      throw new SluiceException(cause.code(), "map output failed: " + cause.getMessage(), cause);
    }
  }

  /** Whether blocks were acknowledged since this was asked last. */
  boolean takeAcked() {
    if (!acked) {
      return false;
    }
    acked = false;
    return true;
  }

  /** Whether frames came back that nobody has seen to. */
  boolean hasReturned() {
    return hasReturned;
  }

  /** Moves the frames that came back to the caller, who {@link #letGo}s of each in the end. */
  void takeReturned(Collection<ReturnedFrame> to) {
    synchronized (returned) {
      to.addAll(returned);
      returned.clear();
      hasReturned = false;
    }
  }

  /** A frame is not held back any more: it is about to be released or sent again. */
  void letGo(ReturnedFrame frame) {
    held.addAndGet(-frame.capacity());
  }

  /** Counts an open frame as one that came back. */
  void hold(ReturnedFrame frame) {
    bytes.addAndGet(frame.capacity());
    held.addAndGet(frame.capacity());
  }

  /** Frees what came back, and what will. */
  void close() {
    ArrayDeque<ReturnedFrame> left = new ArrayDeque<>();
    synchronized (returned) {
      closed = true;
      takeReturned(left);
    }
    left.forEach(ReturnedFrame::release);
  }

  /**
   * Waits, if more than {@code limit} bytes are in flight, until at most {@code goal} are, or until
   * frames come back. With a goal well under the limit the thread is not woken for every frame.
   *
   * @return false if frames came back
   */
  boolean awaitAtMost(long limit, long goal) throws InterruptedException {
    check();
    return !hasReturned && (bytes.get() <= limit || await(goal, true));
  }

  /**
   * Waits as {@link #awaitAtMost} for as long as anything is under way, whatever comes back: for
   * the thread while it holds frames that came back.
   */
  void awaitOthers(long limit, long goal) throws InterruptedException {
    check();
    if (bytes.get() > limit) {
      await(goal, false);
    }
  }

  private boolean await(long goal, boolean attentive) throws InterruptedException {
    long start = clock.nanoTime();
    awaited = goal;
    try {
      while (true) {
        if (attentive && hasReturned) {
          return false;
        }
        long now = bytes.get();
        if (now <= goal || (!attentive && now <= held.get())) {
          return true;
        }
        signal.await();
        check();
      }
    } finally {
      awaited = -1;
      waitNanos += clock.nanoTime() - start;
    }
  }

  /** Waits for an answer, or a failure. */
  <T> Answer<T> await(CompletionStage<T> stage) throws InterruptedException {
    CompletableFuture<Answer<T>> answer = new CompletableFuture<>();
    stage.whenComplete(
        (value, failure) -> {
          answer.complete(new Answer<>(value, failure));
          signal.signal();
        });
    long start = clock.nanoTime();
    try {
      Answer<T> come;
      while ((come = answer.getNow(null)) == null) {
        signal.await();
        check();
      }
      return come;
    } finally {
      waitNanos += clock.nanoTime() - start;
    }
  }

  long waitNanos() {
    return waitNanos;
  }

  /** What came of a request. */
  static final class Answer<T> {
    private final @Nullable T value;
    private final @Nullable Throwable failure;

    Answer(@Nullable T value, @Nullable Throwable failure) {
      this.value = value;
      this.failure = failure;
    }

    @Nullable T value() {
      return value;
    }

    @Nullable Throwable failure() {
      return failure;
    }
  }
}
