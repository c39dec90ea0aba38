package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.Scheduler.Cancellable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * it, something else is wanted of the same thing, or the term ends; so when ZooKeeper is back it
 * says what this leader has decided, and a next leader decides nothing else.
 *
 * <p>What waits is bounded by what there is: one write for each server and application.
 */
final class WantedState {
  private static final Logger log = LoggerFactory.getLogger(WantedState.class);
  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Scheduler scheduler;
  // What has been asked for and is not known to be kept, by what it is about.
  private final Map<Object, Write> wanted = new LinkedHashMap<>();
  private @Nullable Cancellable retry;
  private boolean closed;

  private static final class Write {
    private final String what;
    private final Supplier<CompletionStage<Void>> how;
    private boolean failed;
    private boolean waits;

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
   * @return completes on the control thread with the first attempt, or fails as that did
   */
  CompletionStage<Void> want(Object about, String what, Supplier<CompletionStage<Void>> how) {
    Write write = new Write(what, how);
    wanted.put(about, write);
    CompletableFuture<Void> first = new CompletableFuture<>();
    attempt(about, write, first);
    return first;
  }

  /** Whether something is wanted that the store is not known to hold. */
  boolean isOpen(Object about) {
    return wanted.containsKey(about);
  }

  /** Whether what is wanted was not kept when that was tried last. */
  boolean hasFailed(Object about) {
    Write write = wanted.get(about);
    return write != null && write.waits;
  }

  private void attempt(Object about, Write write, CompletableFuture<Void> first) {
    write
        .how
        .get()
        .whenComplete(
            (nothing, failure) ->
                scheduler.execute(
                    () -> {
                      over(about, write, failure);
                      if (failure == null) {
                        first.complete(null);
                      } else {
                        first.completeExceptionally(failure);
                      }
                    }));
  }

  private void over(Object about, Write write, @Nullable Throwable failure) {
    if (closed || wanted.get(about) != write) {
      return;
    }
    if (failure == null) {
      wanted.remove(about);
      if (write.failed) {
        log.info("{} is persisted now", write.what);
      }
    } else if (isOfALaterTerm(failure)) {
      wanted.remove(about);
    } else {
      if (!write.failed) {
        log.warn("{} was not persisted, and is tried again", write.what, failure);
      }
      write.failed = true;
      write.waits = true;
      if (retry == null) {
        retry = scheduler.schedule(RETRY_NANOS, this::again);
      }
    }
  }

  private static boolean isOfALaterTerm(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof SluiceException refused && refused.code() == ErrorCode.NOT_LEADER;
  }

  private void again() {
    retry = null;
    for (Map.Entry<Object, Write> each : List.copyOf(wanted.entrySet())) {
      if (each.getValue().waits) {
        each.getValue().waits = false;
        attempt(each.getKey(), each.getValue(), new CompletableFuture<>());
      }
    }
  }

  /** Ends the term: nothing is tried again. */
  void close() {
    closed = true;
    wanted.clear();
    if (retry != null) {
      retry.cancel();
    }
  }
}
