package io.sluice.transport.session;

import io.sluice.transport.frame.Hello;
import org.jspecify.annotations.Nullable;

/** How a server finds out that a client is who it says. Thread-safe; nothing here blocks. */
public interface ServerAuthenticator {
  /** Number of the one scheme accepted; 0 is none. */
  int scheme();

  /**
   * Begins with a client that chose this scheme.
   *
   * @throws io.sluice.common.error.SluiceException AUTHENTICATION_FAILED for an unknown principal
   */
  Exchange begin(Hello hello);

  /** One client's proof. Confined to the connection's event loop. */
  interface Exchange {
    /**
     * The next challenge, 1 to 1024 bytes, or null if the client has proven itself. At most four
     * are sent.
     */
    byte @Nullable [] challenge();

    /**
     * Takes the answer to the last challenge.
     *
     * @throws io.sluice.common.error.SluiceException AUTHENTICATION_FAILED if it is wrong
     */
    void answer(byte[] response);
  }

  /** Scheme 0: everyone is believed. */
  static ServerAuthenticator none() {
    return NoAuthentication.INSTANCE;
  }
}
