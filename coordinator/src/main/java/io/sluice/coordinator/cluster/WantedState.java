package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.Scheduler.Cancellable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the store is to hold of things that are so already, whatever the store says: that a server
 * is lost, that an application has ended. A write that fails is tried again until the store takes
 * it, something else is wanted of the same thing, or the term ends; so when ZooKeeper is back
 * before that it says what this leader has decided, and a next leader decides nothing else.
 *
 * <p>What waits is bounded by what there is: a write for each application, for each server, and for
 * each of these whether it is to be drained. While the store takes nothing one of them is tried
 * each second, so that others find its queue empty.
 *
 * <p>A term does not outlive a long outage: it ends when ZooKeeper has been silent for two thirds
 * of its session, and what waits then is dropped. The next leader has what was kept before, and
 * finds the rest out anew.
 */
final class WantedState {
  private static final Logger log = LoggerFactory.getLogger(WantedState.class);
  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Tried again at a time once the store takes writes; its queue has 10,000 places for all. */
  private static final int AT_ONCE = 100;

  private final Scheduler scheduler;
  // What has been asked for and is not known to be kept, by what it is about.
  private final Map<Object, Write> wanted = new LinkedHashMap<>();
  // Of these, what the store did not take; the one that was tried longest ago first.
  private final Set<Object> waiting = new LinkedHashSet<>();
  private @Nullable Cancellable retry;
  private int retrying;
  private boolean outage;
  private boolean closed;

  private static final class Write {
    private final String what;
    private final Supplier<CompletionStage<Void>> how;

    Write(String what, Supplier<CompletionStage<Void>> how) {
      this.what = what;
      this.how = how;
    }
  }

  WantedState(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * Has the store hold something from now on.
   *
   * @param about an id; what was wanted about it before is not wanted any more
   * @param what for people
   * @param how writes it; may be called several times
   * @return completes on the control thread with the first attempt, or fails as that did; fails
   *     with NOT_LEADER if the term is over
   */
  CompletionStage<Void> want(Object about, String what, Supplier<CompletionStage<Void>> how) {
    CompletableFuture<Void> first = new CompletableFuture<>();
    if (closed) {
      // The store would take it as a word of whatever term it is in now.
      first.completeExceptionally(
          new SluiceException(ErrorCode.NOT_LEADER, "the term is over: " + what));
      return first;
    }
    Write write = new Write(what, how);
    wanted.put(about, write);
    waiting.remove(about);
    attempt(about, write, () -> {}, first);
    return first;
  }

  /** Nothing is wanted about something any more; a write that is under way goes on. */
  void drop(Object about) {
    wanted.remove(about);
    waiting.remove(about);
  }

  /** Whether something is wanted that the store is not known to hold. */
  boolean isOpen(Object about) {
    return wanted.containsKey(about);
  }

  /** Whether what is wanted was not kept when that was tried last. */
  boolean hasFailed(Object about) {
    return waiting.contains(about);
  }

  private void attempt(Object about, Write write, Runnable onEnd, CompletableFuture<Void> first) {
    write
        .how
        .get()
        .whenComplete(
            (nothing, failure) ->
                scheduler.execute(
                    () -> {
                      onEnd.run();
                      over(about, write, failure);
                      if (failure == null) {
                        first.complete(null);
                      } else {
                        first.completeExceptionally(failure);
                      }
                    }));
  }

  private void over(Object about, Write write, @Nullable Throwable failure) {
    if (closed) {
      return;
    }
    boolean isWanted = wanted.get(about) == write;
    if (failure == null) {
      if (isWanted) {
        wanted.remove(about);
      }
      taken();
    } else if (isWanted && isOfALaterTerm(failure)) {
      wanted.remove(about);
    } else if (isWanted) {
      waiting.add(about);
      if (!outage) {
        log.warn("{} was not persisted; it is tried again, as is what comes", write.what, failure);
      }
      outage = true;
      retryLater();
    } else {
      retryLater();
    }
  }

  /** The store takes writes: those that wait too, some at a time. */
  private void taken() {
    while (retrying < AT_ONCE && !waiting.isEmpty()) {
      again();
    }
    if (outage && retrying == 0) {
      outage = false;
      log.info("what could not be persisted is persisted now");
    }
  }

  private void retryLater() {
    if (retry == null && !waiting.isEmpty()) {
      retry =
          scheduler.schedule(
              RETRY_NANOS,
              () -> {
                retry = null;
                if (retrying == 0 && !waiting.isEmpty()) {
                  again();
                }
              });
    }
  }

  private void again() {
    Object about = waiting.iterator().next();
    waiting.remove(about);
    Write write = wanted.get(about);
    if (write != null) {
      retrying++;
      attempt(about, write, () -> retrying--, new CompletableFuture<>());
    }
  }

  private static boolean isOfALaterTerm(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof SluiceException refused && refused.code() == ErrorCode.NOT_LEADER;
  }

  /** Ends the term: nothing is written any more. */
  void close() {
    closed = true;
    wanted.clear();
    waiting.clear();
    if (retry != null) {
      retry.cancel();
    }
  }
}
