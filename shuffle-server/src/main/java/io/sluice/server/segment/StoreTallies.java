package io.sluice.server.segment;

import io.sluice.common.id.ShuffleKey;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which map attempts of a shuffle all stores of a server hold together. Asks one store after the
 * other, so that two tallies are in memory at most: what was summed, and what the store asked makes
 * of its own. For one question at a time; any thread.
 */
public final class StoreTallies {
  private static final Logger log = LoggerFactory.getLogger(StoreTallies.class);

  private final Supplier<List<SegmentStore>> stores;
  private final int maxAttempts;

  /**
   * @param stores those of the server at the moment of a question
   * @param maxAttempts that are told apart; those met later count as not there
   */
  public StoreTallies(Supplier<List<SegmentStore>> stores, int maxAttempts) {
    this.stores = stores;
    this.maxAttempts = maxAttempts;
  }

  /**
   * Calls back once, with the sum of what the stores tell; those that fail add nothing, so that
   * attempts with blocks there come out as not whole. Not to be called again before.
   *
   * @param callback on any thread, also on the caller's before this returns; the tally is its own
   */
  public void of(ShuffleKey shuffle, Consumer<MapTally> callback) {
    new Question(shuffle, List.copyOf(stores.get()).iterator(), callback).wake();
  }

  /** One shuffle, and who wants to know. Each step is ordered behind the one before. */
  private final class Question {
    private final ShuffleKey shuffle;
    private final Iterator<SegmentStore> left;
    private final Consumer<MapTally> callback;
    private final MapTally sum = new MapTally(maxAttempts);
    // Steps that are due: stores that answer at once do not recurse.
    private final AtomicInteger wakes = new AtomicInteger();

    Question(ShuffleKey shuffle, Iterator<SegmentStore> left, Consumer<MapTally> callback) {
      this.shuffle = shuffle;
      this.left = left;
      this.callback = callback;
    }

    void wake() {
      if (wakes.getAndIncrement() != 0) {
        return;
      }
      do {
        step();
      } while (wakes.decrementAndGet() != 0);
    }

    private void step() {
      if (!left.hasNext()) {
        callback.accept(sum);
        return;
      }
      SegmentStore store = left.next();
      try {
        store.tally(shuffle, maxAttempts, (tally, failure) -> answered(store, tally, failure));
      } catch (RuntimeException e) {
        // The others are asked all the same, and whoever waits must hear.
        answered(store, null, e);
      }
    }

    private void answered(
        SegmentStore store, @Nullable MapTally tally, @Nullable Throwable failure) {
      if (tally == null) {
        log.warn(
            "{}: cannot say which maps of shuffle {} it holds", store.name(), shuffle, failure);
      } else {
        sum.add(tally);
      }
      wake();
    }
  }
}
