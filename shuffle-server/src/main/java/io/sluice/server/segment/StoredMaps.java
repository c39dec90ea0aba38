package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which map attempts of a shuffle all stores of a server hold together. Asks the stores at once,
 * and for one shuffle at a time, so that a tally of many attempts is in memory once; others wait.
 * Thread-safe.
 */
public final class StoredMaps {
  private static final Logger log = LoggerFactory.getLogger(StoredMaps.class);

  /** Questions that wait; a few hundred bytes each. */
  static final int WAITING_MAX = 64;

  private final Supplier<List<SegmentStore>> stores;
  private final ArrayDeque<Question> waiting = new ArrayDeque<>();
  private boolean underWay;
  // Wakes not yet looked after; whoever raises it from 0 looks. So questions whose answers come at
  // once do not recurse.
  private final AtomicInteger wakes = new AtomicInteger();

  /**
   * @param stores those of the server at the moment of a question
   */
  public StoredMaps(Supplier<List<SegmentStore>> stores) {
    this.stores = stores;
  }

  /**
   * Calls back once, with the sum of what the stores tell; those that fail add nothing, so that
   * attempts with blocks there come out as not whole.
   *
   * @param callback on any thread, also on the caller's before this returns; the tally is its own
   * @throws SluiceException TOO_MANY_STREAMS if too many wait; it is not called then
   */
  public void of(ShuffleKey shuffle, Consumer<MapTally> callback) {
    synchronized (this) {
      if (waiting.size() >= WAITING_MAX) {
        throw new SluiceException(
            ErrorCode.TOO_MANY_STREAMS,
            WAITING_MAX + " others wait to hear which maps of theirs are here");
      }
      waiting.add(new Question(shuffle, callback));
    }
    wake();
  }

  private void wake() {
    if (wakes.getAndIncrement() != 0) {
      return;
    }
    do {
      Question next = next();
      if (next != null) {
        next.ask(List.copyOf(stores.get()));
      }
    } while (wakes.decrementAndGet() != 0);
  }

  private synchronized @Nullable Question next() {
    Question next = underWay ? null : waiting.poll();
    underWay |= next != null;
    return next;
  }

  private void ended() {
    synchronized (this) {
      underWay = false;
    }
    wake();
  }

  /** One shuffle, and who wants to know. */
  private final class Question {
    private final ShuffleKey shuffle;
    private final Consumer<MapTally> callback;
    private @Nullable MapTally sum;
    private int awaited;

    Question(ShuffleKey shuffle, Consumer<MapTally> callback) {
      this.shuffle = shuffle;
      this.callback = callback;
    }

    void ask(List<SegmentStore> all) {
      synchronized (this) {
        // And this method itself, so that nothing ends before all are asked.
        awaited = 1 + all.size();
      }
      for (SegmentStore store : all) {
        try {
          store.tally(shuffle, (tally, failure) -> answered(store, tally, failure));
        } catch (RuntimeException e) {
          // The others are asked all the same, and whoever waits must hear.
          answered(store, null, e);
        }
      }
      answered(null);
    }

    private void answered(
        SegmentStore store, @Nullable MapTally tally, @Nullable Throwable failure) {
      if (failure != null) {
        log.warn(
            "{}: cannot say which maps of shuffle {} it holds", store.name(), shuffle, failure);
      }
      answered(tally);
    }

    private void answered(@Nullable MapTally tally) {
      MapTally all;
      synchronized (this) {
        if (tally != null) {
          add(tally);
        }
        awaited--;
        if (awaited > 0) {
          return;
        }
        all = sum == null ? new MapTally() : sum;
      }
      try {
        callback.accept(all);
      } catch (RuntimeException e) {
        // A thread's edge: other questions wait.
        log.error("who asked for maps of shuffle {} failed", shuffle, e);
      }
      ended();
    }

    private void add(MapTally tally) {
      MapTally before = sum;
      if (before == null) {
        sum = tally;
      } else {
        before.add(tally);
      }
    }
  }
}
