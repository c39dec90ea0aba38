package io.sluice.client.connection;

import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;

/** Where the bytes of one stream go. All calls come on the connection's event loop. */
public interface StreamSink {
  /** First call, unless {@link #failed} comes instead: the stream that calls here. */
  void began(FetchStream stream);

  /** The request leaves: from here on it is up to the server. */
  void requested();

  /**
   * A piece of the concatenated blocks of one partition; valid only during the call.
   *
   * @throws SluiceException if the bytes cannot be blocks: the stream is cancelled and fails so
   */
  void data(int partition, ByteBuffer bytes, int offset, int length);

  /** The server cannot be reached at the moment; it is tried again. May come several times. */
  default void troubled() {}

  /** No more data until the event loop has read from the socket again. */
  void readComplete();

  /** The server has sent everything it has; last call. */
  void ended(long blocks);

  /** The stream is over before its end; last call. What was delivered before stays valid. */
  void failed(SluiceException cause);

  /**
   * The server was tried for as long as it may be, and is given up: as {@link #failed}, but asking
   * again would only wait as long again. Last call.
   */
  void givenUp(SluiceException cause);
}
