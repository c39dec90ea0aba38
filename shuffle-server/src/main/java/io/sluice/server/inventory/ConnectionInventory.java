package io.sluice.server.inventory;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.lifecycle.ShuffleHandle;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ServerLink;
import java.util.concurrent.RejectedExecutionException;

/** Inventories that one connection asks for, one at a time. On the connection's event loop. */
public final class ConnectionInventory {
  private final ServerLink link;
  private final Inventories inventories;
  private boolean underWay;
  // Written on the event loop.
  private volatile boolean closed;

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
    if (underWay) {
      fail(stream, ErrorCode.TOO_MANY_STREAMS, "one inventory at a time");
      return;
    }
    underWay = true;
    try {
      inventories.ask(handle.key(), firstMap, new Reader(stream));
    } catch (SluiceException full) {
      underWay = false;
      fail(stream, full.code(), full.detail());
    }
  }

  private void fail(int stream, ErrorCode code, String why) {
    link.streamFailed(stream, code, why);
    link.flush();
  }

  /** A stream that was cancelled meanwhile takes nothing: the link closes what is sent on it. */
  private void send(int stream, InventoryPage page) {
    underWay = false;
    if (closed) {
      page.close();
      return;
    }
    long bytes = 0;
    for (OutgoingData piece : page.pieces()) {
      bytes += piece.length();
      link.data(stream, 0, piece);
    }
    link.streamEnd(stream, page.entries(), bytes);
    link.flush();
  }

  /** The connection is gone. */
  public void close() {
    closed = true;
  }

  private final class Reader implements Inventories.Reader {
    private final int stream;

    Reader(int stream) {
      this.stream = stream;
    }

    @Override
    public boolean isThere() {
      return !closed;
    }

    @Override
    public void take(InventoryPage page) {
      try {
        link.executor().execute(() -> send(stream, page));
      } catch (RejectedExecutionException stopped) {
        page.close(); // The server ends, and its loops have.
      }
    }
  }
}
