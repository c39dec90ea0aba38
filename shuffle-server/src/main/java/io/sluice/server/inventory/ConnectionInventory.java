package io.sluice.server.inventory;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.lifecycle.ShuffleHandle;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ServerLink;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Inventories that one connection asks for, one at a time. On the connection's event loop. */
public final class ConnectionInventory {
  private final ServerLink link;
  private final Inventories inventories;
  private @Nullable Reader current;

  public ConnectionInventory(ServerLink link, Inventories inventories) {
    this.link = link;
    this.inventories = inventories;
  }

  /** Answers on the stream, later. */
  public void ask(ShuffleHandle handle, int stream, int firstMap) {
    if (handle.forFetch() == null) {
      fail(stream, handle.refusal(), "nothing of shuffle " + handle.key() + " is here");
      return;
    }
    if (current != null) {
      fail(stream, ErrorCode.TOO_MANY_STREAMS, "one inventory at a time");
      return;
    }
    Reader reader = new Reader(stream);
    current = reader;
    try {
      inventories.ask(handle.key(), firstMap, reader);
    } catch (SluiceException full) {
      current = null;
      fail(stream, full.code(), full.detail());
    }
  }

  private void fail(int stream, ErrorCode code, String why) {
    link.streamFailed(stream, code, why);
    link.flush();
  }

  /** Nobody waits for the answer on a stream any more, if it is one of these. */
  public void cancel(int stream) {
    if (current != null && current.stream == stream) {
      current.gone = true;
      current = null;
    }
  }

  private void send(Reader reader, InventoryPage page) {
    if (reader.gone) {
      page.close();
      return;
    }
    current = null;
    long bytes = 0;
    for (OutgoingData piece : page.pieces()) {
      bytes += piece.length();
      link.data(reader.stream, 0, piece);
    }
    link.streamEnd(reader.stream, page.entries(), bytes);
    link.flush();
  }

  /** The connection is gone. */
  public void close() {
    if (current != null) {
      current.gone = true;
    }
  }

  private final class Reader implements Inventories.Reader {
    private final int stream;
    // Written on the event loop.
    private volatile boolean gone;

    Reader(int stream) {
      this.stream = stream;
    }

    @Override
    public boolean isThere() {
      return !gone;
    }

    @Override
    public void take(InventoryPage page) {
      try {
        link.executor().execute(() -> send(this, page));
      } catch (RejectedExecutionException stopped) {
        page.close(); // The server ends, and its loops have.
      }
    }
  }
}
