package io.sluice.transport;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The server's side of one connection, implemented by the shuffle server. All calls come on the
 * connection's event loop; none may block. A {@link SluiceException} thrown from any of them is a
 * protocol error of the peer: the transport answers with an ERROR frame naming the code and closes
 * the connection, then calls {@link #closed}.
 *
 * <p>Blocks of a connection are numbered 0, 1, 2 … in the order sent; acknowledgements name these
 * numbers. A block that lies wholly in the receive buffer comes as one {@link #block} call; any
 * other as {@link #blockBegin}, one or more {@link #blockPart}, {@link #blockEnd}.
 */
public interface ServerSession {
  /**
   * The peer binds an integer handle to a shuffle. Failures that concern only this shuffle
   * (unknown, removed, stale incarnation) must not throw: remember them and answer each block or
   * fetch on the handle with that code.
   *
   * @param incarnation the incarnation of this server that the peer's placement names
   * @param others members of the replica set to forward blocks to
   */
  void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others);

  /** The same without others. */
  default void open(int handle, ShuffleKey shuffle, long incarnation) {
    open(handle, shuffle, incarnation, List.of());
  }

  /** The peer forgets a handle. */
  void release(int handle);

  /**
   * A whole block.
   *
   * @param bytes header at {@code offset}, payload behind it; valid only during the call
   * @param crcMatches the transport's verdict on the block's CRC (true where checking is off)
   */
  void block(int handle, long blockNumber, ByteBuffer bytes, int offset, boolean crcMatches);

  /** The header of a block whose payload follows in parts. Header bytes valid only now. */
  void blockBegin(int handle, long blockNumber, ByteBuffer header, int offset);

  /** The next {@code length} payload bytes; valid only during the call. */
  void blockPart(ByteBuffer bytes, int offset, int length);

  /** The block begun last is complete. */
  void blockEnd(boolean crcMatches);

  /**
   * The peer wants credit, in bytes; answered by {@link ServerLink#grant} or {@code refuseWant}.
   */
  void want(long bytes);

  /** The peer gives back credit it holds, asked by RECLAIM or because it idles. */
  void creditReturned(long bytes);

  /** A new fetch stream; {@link FetchRequest#stream()} is unused so far on this connection. */
  void fetch(FetchRequest request);

  /**
   * The peer wants to know which map attempts of the handle's shuffle are here whole, on disks,
   * from a map on. Answered on the stream by {@link ServerLink#data} in the form of {@link
   * InventoryEntries}, at most {@link InventoryEntries#MAX_BYTES} together, and {@link
   * ServerLink#streamEnd} with the number of entries; or by {@link ServerLink#streamFailed}.
   */
  default void inventory(int stream, int handle, int firstMap) {
    throw new SluiceException(ErrorCode.UNEXPECTED_FRAME, "no inventory is kept here");
  }

  /** More reader credit for a stream, in bytes. Unknown (already ended) streams are ignored. */
  void fetchCredit(int stream, long bytes);

  /** The reader has lost interest: stop sending, send no end. Unknown streams are ignored. */
  void fetchCancel(int stream);

  /**
   * The reader found a block of a stream damaged: a reason to look, and for the log. The stream may
   * have ended, and what is said of the block need not be true.
   */
  void damaged(int stream, DamagedBlock block);

  /** The socket takes data again after {@link ServerLink#isWritable()} was false. */
  void writable();

  /** All bytes of one read have been delivered: the time to send batched acknowledgements. */
  void readComplete();

  /**
   * The connection is gone; last call. A half-received block is to be dropped, all leases closed.
   */
  void closed();
}
