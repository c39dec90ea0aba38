package io.sluice.transport;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.List;
import java.util.concurrent.Executor;

/** What a {@link ClientSession} uses to talk to a server. On the event loop only, unless stated. */
public interface ClientLink {
  /**
   * Runs tasks on this connection's event loop; tasks given after the close still run. Any thread.
   */
  Executor executor();

  /**
   * Binds a handle, chosen by the client and greater than every handle so far on the connection; at
   * least 0. Needs no answer: send the first use right behind it.
   *
   * @param others whom the server forwards blocks on the handle to; at most {@link
   *     ReplicaMember#MAX_OTHERS}
   * @throws SluiceException UNSUPPORTED_VERSION if there are others and the server is too old
   */
  void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others);

  /** The same without others: the server is the only one, or the last, to store what comes. */
  default void open(int handle, ShuffleKey shuffle, long incarnation) {
    open(handle, shuffle, incarnation, List.of());
  }

  /** How many handles the server allows to be open at once on this connection. */
  int maxHandles();

  /** Ends a handle; pushes given before are still sent on it. */
  void release(int handle);

  /**
   * Sends whole blocks (header and payload, back to back). The caller keeps its own reference: the
   * link retains the buffer for as long as it needs it and releases only that reference.
   */
  void push(int handle, int blockCount, ByteBuf blocks);

  /** The same with bytes that lie elsewhere. The link owns them from here. */
  void push(int handle, int blockCount, OutgoingData blocks);

  void want(long bytes);

  void returnCredit(long bytes);

  void fetch(FetchRequest request);

  /**
   * Asks which map attempts of the handle's shuffle the server has whole on its disks, from a map
   * on. Answered as a fetch is, by data in the form of {@link InventoryEntries}, of at most {@link
   * InventoryEntries#MAX_BYTES}; no credit need be given.
   *
   * @param stream of the same row of numbers as those of fetches
   * @throws SluiceException UNSUPPORTED_VERSION if the server is too old; the number is not used
   */
  default void inventory(int stream, int handle, int firstMap) {
    throw new SluiceException(ErrorCode.UNSUPPORTED_VERSION, "no inventory here");
  }

  void fetchCredit(int stream, long bytes);

  void fetchCancel(int stream);

  /**
   * Tells the server that a block of a stream was damaged when it was read; the stream may have
   * ended. A server of an older version is not told.
   */
  void damaged(int stream, DamagedBlock block);

  boolean isWritable();

  void flush();

  /** Orderly close: what was written is sent, then the connection ends. Any thread. */
  void close();

  /** Abrupt close, for a peer that broke the protocol or stopped answering. Any thread. */
  void abort(SluiceException cause);
}
