package io.sluice.server.inventory;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoredMaps;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The inventories of a server, for all its connections: few pages are in memory at a time, whoever
 * reads them slowly; others wait for these. Thread-safe.
 */
public final class Inventories {
  /** A mebibyte each. */
  static final int PAGES_MAX = 4;

  /** All drivers whose server came back ask it at once; some 100 bytes each. */
  static final int WAITING_MAX = 4096;

  private final StoredMaps stored;

  // Guarded by this.
  private final ArrayDeque<Question> waiting = new ArrayDeque<>();
  private int pages;

  /**
   * @param stores those of the server at the moment of a question
   */
  public Inventories(Supplier<List<SegmentStore>> stores) {
    this.stored = new StoredMaps(stores);
  }

  /**
   * Makes a page of the attempts that are whole, from a map on.
   *
   * @param reader takes the page over; on any thread, also on the caller's before this returns
   * @throws SluiceException TOO_MANY_STREAMS if too many wait
   */
  void ask(ShuffleKey shuffle, int firstMap, Consumer<InventoryPage> reader) {
    synchronized (this) {
      if (waiting.size() == WAITING_MAX) {
        throw new SluiceException(
            ErrorCode.TOO_MANY_STREAMS, WAITING_MAX + " others wait to hear what is here");
      }
      waiting.add(new Question(shuffle, firstMap, reader));
    }
    answerNext();
  }

  private void answerNext() {
    Question next = next();
    if (next != null) {
      stored.of(
          next.shuffle,
          tally -> next.reader.accept(new InventoryPage(tally, next.firstMap, this::pageClosed)));
    }
  }

  private synchronized @Nullable Question next() {
    if (pages == PAGES_MAX) {
      return null;
    }
    Question next = waiting.poll();
    if (next != null) {
      pages++;
    }
    return next;
  }

  private void pageClosed() {
    synchronized (this) {
      pages--;
    }
    answerNext();
  }

  private record Question(ShuffleKey shuffle, int firstMap, Consumer<InventoryPage> reader) {}
}
