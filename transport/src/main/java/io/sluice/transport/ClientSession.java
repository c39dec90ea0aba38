package io.sluice.transport;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The client's side of one connection, implemented by the client's push and fetch core. All calls
 * come on the connection's event loop; none may block.
 */
public interface ClientSession {
  /** Handshake done; first call unless {@link #closed} comes instead. */
  void connected(ClientLink link, ServerIdentity server, long seedCredit, int maxBlockBytes);

  void acked(long first, int count, long refund);

  void nacked(long first, int count, long refund, ErrorCode code);

  /** Why blocks are refused with a code from here on; for people, and only from some servers. */
  default void explained(ErrorCode code, String why) {}

  /** Whose fault it is that the blocks refused with REPLICA_FAILED after this are refused. */
  default void replicasFailed(List<FailedReplica> failed) {}

  void granted(long bytes);

  void wantRefused(ErrorCode code);

  /** The server asks for idle credit, up to so many bytes; answer with what can be spared. */
  void reclaimed(long bytes);

  /** Bytes of a stream; valid only during the call. */
  void data(int stream, int partition, ByteBuffer bytes, int offset, int length);

  void streamEnded(int stream, long blocks, long bytes);

  void streamFailed(int stream, ErrorCode code, String message);

  /**
   * The server is about to stop: give new work to others, finish what is under way, then {@link
   * ClientLink#close()}. Credit may be refused from here on.
   */
  default void goingAway() {}

  /** The socket takes data again after {@link ClientLink#isWritable()} was false. */
  void writable();

  /** All bytes of one read have been delivered. */
  void readComplete();

  /** The connection is gone, or never came to be; last call. */
  void closed(SluiceException cause);
}
