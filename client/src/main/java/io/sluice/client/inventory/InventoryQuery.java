package io.sluice.client.inventory;

import io.sluice.client.PlacedServer;
import io.sluice.client.connection.FetchStream;
import io.sluice.client.connection.ServerConnection;
import io.sluice.client.connection.StreamSink;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.InventoryEntries;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks one server what it has whole of one shuffle, page after page; again what a lost connection
 * has cut off. On the connection's event loop.
 */
final class InventoryQuery {
  /** After a connection was lost: one that is made and lost again and again is not to be busy. */
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** More is nonsense, and would be memory: 16 MiB. */
  private static final int MAX_ENTRIES = 1 << 20;

  private final ServerConnection connection;
  private final ShuffleKey shuffle;
  private final PlacedServer server;
  private final CompletableFuture<StoredMaps> answer;
  private final StoredMaps.Builder found = new StoredMaps.Builder();
  private Scheduler.@Nullable Cancellable deadline;
  private @Nullable FetchStream page;

  /**
   * @param server its present life
   * @param answer completed on the event loop; never twice
   */
  InventoryQuery(
      ServerConnection connection,
      ShuffleKey shuffle,
      PlacedServer server,
      CompletableFuture<StoredMaps> answer) {
    this.connection = connection;
    this.shuffle = shuffle;
    this.server = server;
    this.answer = answer;
  }

  /**
   * Asks, and gives up after a time.
   *
   * @param patience what is left of it
   */
  void begin(Duration patience) {
    if (patience.isNegative() || patience.isZero()) {
      late();
      return;
    }
    deadline = connection.loop().schedule(patience.toNanos(), this::late);
    next(0);
  }

  private void next(int firstMap) {
    InventorySpec spec = new InventorySpec(shuffle, server.incarnation(), firstMap);
    page = connection.fetch(spec, new Page(firstMap), InventoryEntries.MAX_BYTES);
  }

  /**
   * Asks for what did not fit. What a page's last map has beyond it is told again, unless that map
   * is all that the page has: then the rest of it is left out, and counts as not whole.
   */
  private boolean goOn(int askedFrom) {
    int last = found.lastMap();
    if (last > askedFrom) {
      found.dropLastMap();
    }
    if (last == Integer.MAX_VALUE) {
      return false;
    }
    next(last > askedFrom ? last : last + 1);
    return true;
  }

  private void again(int firstMap) {
    if (!answer.isDone()) {
      next(firstMap);
    }
  }

  private void late() {
    FetchStream current = page;
    if (current != null) {
      current.cancel();
    }
    fail(
        new SluiceException(
            ErrorCode.TIMED_OUT,
            server + " has not said what it has within " + Inventories.PATIENCE));
  }

  private void fail(SluiceException cause) {
    stopClock();
    answer.completeExceptionally(cause);
  }

  private void stopClock() {
    if (deadline != null) {
      deadline.cancel();
    }
  }

  private final class Page implements StreamSink {
    // DATA comes in whatever pieces the socket has.
    private final ByteBuffer entry = ByteBuffer.allocate(InventoryEntries.BYTES);
    private final int firstMap;
    private final int before = found.size();
    private int entries;

    Page(int firstMap) {
      this.firstMap = firstMap;
    }

    @Override
    public void began(FetchStream stream) {}

    @Override
    public void requested() {}

    @Override
    public void data(int partition, ByteBuffer bytes, int offset, int length) {
      for (int at = offset; at < offset + length; at++) {
        entry.put(bytes.get(at));
        if (!entry.hasRemaining()) {
          add();
          entry.clear();
        }
      }
    }

    private void add() {
      entries++;
      int map = InventoryEntries.map(entry, 0);
      int partitions = InventoryEntries.partitions(entry, 0);
      if (entries > InventoryEntries.MAX_ENTRIES
          || found.size() == MAX_ENTRIES
          || !found.add(map, InventoryEntries.attempt(entry, 0), partitions)) {
        throw new SluiceException(
            ErrorCode.MALFORMED_FRAME,
            server + " tells of map " + map + " out of order, or of too many");
      }
    }

    @Override
    public void readComplete() {}

    @Override
    public void ended(long blocks) {
      if (entry.position() > 0 || blocks != entries) {
        fail(
            new SluiceException(
                ErrorCode.MALFORMED_FRAME,
                server + " has told of " + entries + " map attempts and says " + blocks));
      } else if (entries < InventoryEntries.MAX_ENTRIES || !goOn(firstMap)) {
        stopClock();
        answer.complete(found.build());
      }
    }

    @Override
    public void failed(SluiceException cause) {
      if (cause.code() == ErrorCode.CONNECTION_LOST && !answer.isDone()) {
        found.truncate(before);
        connection.loop().schedule(PAUSE.toNanos(), () -> again(firstMap));
      } else {
        fail(cause);
      }
    }

    @Override
    public void givenUp(SluiceException cause) {
      fail(cause);
    }
  }
}
