package io.sluice.client.connection;

import io.sluice.transport.ClientLink;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.push.HandleTable;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer in progress. The methods may be called on any thread unless they say
 * otherwise.
 */
public final class FetchStream {
  private final ServerConnection connection;
  private final StreamSpec spec;
  private final StreamSink sink;
  private final long credit;

  // The event loop's.
  private int number = -1;
  private HandleTable.@Nullable Handle handle;
  // Where it began: its number means nothing on another.
  private @Nullable ClientLink link;
  private boolean done;
  private boolean touched;

  FetchStream(ServerConnection connection, StreamSpec spec, StreamSink sink, long credit) {
    this.connection = connection;
    this.spec = spec;
    this.sink = sink;
    this.credit = credit;
  }

  /**
   * Lets the server send so many bytes more. It learns of it with the end of the present read, or
   * at the next {@link #flush}. On the connection's event loop.
   */
  public void credit(long bytes) {
    connection.fetchCredit(this, bytes);
  }

  /** Sends what was given outside of a read. On the connection's event loop. */
  public void flush() {
    connection.flush();
  }

  /** Loses interest; the sink hears nothing more after this has taken effect. */
  public void cancel() {
    connection.execute(() -> connection.fetchCancel(this));
  }

  /** Tells the server, if it can still be told, that a block of this stream was damaged. */
  public void damaged(DamagedBlock block) {
    connection.execute(() -> connection.damaged(this, block));
  }

  /** The same of a block of which no more is known than its partition. */
  public void damaged(int partition) {
    damaged(DamagedBlock.ofPartition(spec.shuffle(), partition));
  }

  StreamSpec spec() {
    return spec;
  }

  StreamSink sink() {
    return sink;
  }

  long initialCredit() {
    return credit;
  }

  int number() {
    return number;
  }

  boolean isDone() {
    return done;
  }

  @Nullable ClientLink link() {
    return link;
  }

  void began(int newNumber, HandleTable.Handle newHandle, ClientLink newLink) {
    number = newNumber;
    link = newLink;
    handle = newHandle;
    sink.requested();
  }

  /** Marks that it got data in this read; true the first time. */
  boolean touch() {
    boolean first = !touched;
    touched = true;
    return first;
  }

  void untouch() {
    touched = false;
  }

  /** Over, for whatever reason; true the first time. */
  boolean finish() {
    if (done) {
      return false;
    }
    done = true;
    HandleTable.Handle used = handle;
    if (used != null) {
      handle = null;
      used.release();
    }
    return true;
  }
}
