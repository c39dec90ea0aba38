package io.sluice.transport;

import io.sluice.common.error.ErrorCode;
import java.util.List;
import java.util.concurrent.Executor;

/** What a {@link ServerSession} uses to talk to its peer. On the event loop only, unless stated. */
public interface ServerLink {
  /** The peer's address, for logs. Any thread. */
  String peer();

  /**
   * Runs tasks on this connection's event loop; tasks given after the close still run. Any thread.
   */
  Executor executor();

  /**
   * Acknowledges blocks {@code first .. first + count - 1}: they are stored. Written ahead of data,
   * at the latest with the next {@link #flush}.
   *
   * @param refund bytes of credit the peer has back for them; the rest of their charge is withheld
   */
  void ack(long first, int count, long refund);

  /** Refuses blocks, which were not stored; {@code code.advice()} says what the peer may do. */
  void nack(long first, int count, long refund, ErrorCode code);

  /**
   * Says in words why blocks are refused with a code from here on; for people. A client of an older
   * version is not told.
   */
  void explain(ErrorCode code, String why);

  /**
   * Says whose fault it is that the blocks refused with REPLICA_FAILED from here on are refused. At
   * most {@link ReplicaMember#MAX_OTHERS}.
   */
  void replicasFailed(List<FailedReplica> failed);

  /** Grants credit for a WANT, in bytes, possibly less than wanted. */
  void grant(long bytes);

  /** Answers a WANT that cannot be met. */
  void refuseWant(ErrorCode code);

  /** Asks the peer to return idle credit, up to so many bytes. */
  void reclaim(long bytes);

  /**
   * Sends bytes of a fetch stream: a piece of the concatenation of whole blocks of one partition.
   * The link owns the data from here and closes it exactly once, when the bytes have left or the
   * connection is gone. At most {@link TransportLimits#MAX_DATA_BYTES} a call.
   */
  void data(int stream, int partition, OutgoingData data);

  /** Ends a stream: everything asked for was sent ({@code blocks}, {@code bytes} in total). */
  void streamEnd(int stream, long blocks, long bytes);

  /** Ends a stream by failure. What was sent before stays valid. */
  void streamFailed(int stream, ErrorCode code, String message);

  /** False while more data is queued than the socket should hold; then wait for writable(). */
  boolean isWritable();

  /** Pushes out what was written so far. */
  void flush();

  /** Sends an ERROR frame and closes. Any thread. */
  void close(ErrorCode code, String message);
}
