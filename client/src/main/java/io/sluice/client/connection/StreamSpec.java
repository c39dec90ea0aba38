package io.sluice.client.connection;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;

/** What one stream asks of one server. Immutable. */
public interface StreamSpec {
  /** The shuffle that it is about. */
  ShuffleKey shuffle();

  /** Of the server, as the asker knows it. */
  long incarnation();

  /**
   * Sends the request. On the connection's event loop.
   *
   * @param handle of the shuffle, open
   * @param credit bytes that the server may send at first
   * @throws SluiceException UNSUPPORTED_VERSION if the server does not know such requests
   */
  void request(ClientLink link, int stream, int handle, long credit);
}
