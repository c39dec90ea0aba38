package io.sluice.server.inventory;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.segment.MapTally;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreTallies;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inventories of a server, for all its connections: one shuffle is looked through at a time,
 * and few pages are in memory, one for each application at most: who reads its own slowly, or not
 * at all, keeps its own application waiting. Thread-safe.
 */
public final class Inventories {
  private static final Logger log = LoggerFactory.getLogger(Inventories.class);

  /** A mebibyte each. */
  static final int PAGES_MAX = 4;

  /** All drivers whose server came back ask it at once; some 100 bytes each. */
  static final int WAITING_MAX = 4096;

  // What two tallies may take of the tables' budget: an eighth, at 70 bytes for an attempt.
  private static final int TABLE_BYTES_PER_ATTEMPT = 8 * 2 * 70;

  private final Tallies tallies;
  private final Executor executor;

  // Guarded by this.
  private final ArrayDeque<Question> waiting = new ArrayDeque<>();
  private boolean looking;
  private final Set<ApplicationId> havePages = new HashSet<>();

  // Events not yet looked after; whoever raises it from 0 looks. So nothing recurses.
  private final AtomicInteger wakes = new AtomicInteger();

  /** Tells what is here of a shuffle; as {@link StoreTallies#of}. */
  interface Tallies {
    void of(ShuffleKey shuffle, Consumer<MapTally> callback);
  }

  /** Who asked. */
  interface Reader {
    /** Whether it is still there. Any thread. */
    boolean isThere();

    /** Takes a page over. Any thread. */
    void take(InventoryPage page);
  }

  /**
   * @param stores those of the server at the moment of a question
   * @param tableBytes heap that the tables of shuffles may take; this takes an eighth of as much
   *     beside them, where a shuffle has very many maps
   * @param executor where stores are asked, and pages made of what they tell at once
   */
  public Inventories(Supplier<List<SegmentStore>> stores, long tableBytes, Executor executor) {
    this(new StoreTallies(stores, maxAttempts(tableBytes))::of, executor);
  }

  Inventories(Tallies tallies, Executor executor) {
    this.tallies = tallies;
    this.executor = executor;
  }

  static int maxAttempts(long tableBytes) {
    return (int) Math.max(1 << 12, Math.min(1 << 20, tableBytes / TABLE_BYTES_PER_ATTEMPT));
  }

  /**
   * Makes a page of the attempts that are whole, from a map on.
   *
   * @param reader called on any thread
   * @throws SluiceException TOO_MANY_STREAMS if too many wait
   */
  void ask(ShuffleKey shuffle, int firstMap, Reader reader) {
    synchronized (this) {
      if (waiting.size() == WAITING_MAX) {
        throw new SluiceException(
            ErrorCode.TOO_MANY_STREAMS, WAITING_MAX + " others wait to hear what is here");
      }
      waiting.add(new Question(shuffle, firstMap, reader));
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
        answer(next);
      }
    } while (wakes.decrementAndGet() != 0);
  }

  /**
   * The next one to be answered, if there is room for that: the first whose application has no
   * page. Those that are gone are passed over.
   */
  private synchronized @Nullable Question next() {
    if (looking || havePages.size() == PAGES_MAX) {
      return null;
    }
    for (Iterator<Question> all = waiting.iterator(); all.hasNext(); ) {
      Question next = all.next();
      if (!next.reader.isThere()) {
        all.remove();
      } else if (havePages.add(next.application())) {
        all.remove();
        looking = true;
        return next;
      }
    }
    return null;
  }

  private void answer(Question question) {
    try {
      executor.execute(() -> tallies.of(question.shuffle, tally -> answer(question, tally)));
    } catch (RejectedExecutionException stopped) {
      log.debug("the server ends: nobody is told what is here", stopped);
    }
  }

  private void answer(Question question, MapTally tally) {
    boolean made = false;
    try {
      InventoryPage page = new InventoryPage(tally, question.firstMap, () -> pageClosed(question));
      made = true;
      question.reader.take(page);
    } finally {
      if (!made) {
        pageClosed(question);
      }
      looked();
    }
  }

  private void looked() {
    synchronized (this) {
      looking = false;
    }
    wake();
  }

  private void pageClosed(Question question) {
    synchronized (this) {
      havePages.remove(question.application());
    }
    wake();
  }

  private record Question(ShuffleKey shuffle, int firstMap, Reader reader) {
    private ApplicationId application() {
      return shuffle.application();
    }
  }
}
