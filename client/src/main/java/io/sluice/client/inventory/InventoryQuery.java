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
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Asks one server what it has whole of one shuffle, page after page. On the connection's event loop
 * but for {@link #ask}.
 */
public final class InventoryQuery {
  private final ServerConnection connection;
  private final ShuffleKey shuffle;
  private final PlacedServer server;
  private final CompletableFuture<StoredMaps> answer = new CompletableFuture<>();
  private final StoredMaps.Builder found = new StoredMaps.Builder();
  private Scheduler.@Nullable Cancellable deadline;
  private @Nullable FetchStream page;

  private InventoryQuery(ServerConnection connection, ShuffleKey shuffle, PlacedServer server) {
    this.connection = connection;
    this.shuffle = shuffle;
    this.server = server;
  }

  /**
   * @param server its present life
   * @return fails with a SluiceException: TIMED_OUT after so long, UNSUPPORTED_VERSION if the
   *     server is too old, UNKNOWN_SHUFFLE if it has nothing of it, MALFORMED_FRAME, or what else
   *     keeps from asking. Completed on the event loop
   */
  public static CompletionStage<StoredMaps> ask(
      ServerConnection connection, ShuffleKey shuffle, PlacedServer server, Duration patience) {
    InventoryQuery query = new InventoryQuery(connection, shuffle, server);
    if (!connection.execute(() -> query.begin(patience))) {
      query.fail(new SluiceException(ErrorCode.CANCELLED, "the client is closed"));
    }
    return query.answer;
  }

  private void begin(Duration patience) {
    deadline = connection.loop().schedule(patience.toNanos(), () -> late(patience));
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

  private void late(Duration patience) {
    FetchStream current = page;
    if (current != null) {
      current.cancel();
    }
    fail(
        new SluiceException(
            ErrorCode.TIMED_OUT, server + " has not said what it has within " + patience));
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
          || !found.add(map, InventoryEntries.attempt(entry, 0), partitions)) {
        throw new SluiceException(
            ErrorCode.MALFORMED_FRAME, server + " tells of map " + map + " out of order");
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
      fail(cause);
    }

    @Override
    public void givenUp(SluiceException cause) {
      fail(cause);
    }
  }
}
