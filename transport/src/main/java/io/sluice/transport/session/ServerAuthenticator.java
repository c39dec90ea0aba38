package io.sluice.transport.session;

import io.sluice.common.id.ServerId;
import io.sluice.transport.Principal;
import io.sluice.transport.frame.Hello;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a server finds out that a client is who it says. Thread-safe; nothing here blocks. */
public interface ServerAuthenticator {
  /**
   * Begins with a client.
   *
   * @param self who this server is
   * @param binding tells the encrypted channel from any other; empty without encryption
   * @throws io.sluice.common.error.SluiceException AUTHENTICATION_FAILED for a scheme that is not
   *     accepted or a principal that is none
   */
  Exchange begin(Hello hello, ServerId self, Supplier<byte[]> binding);

  /** One client's proof. Confined to the connection's event loop, but for what it returns. */
  interface Exchange {
    /**
     * The next challenge, 1 to 1024 bytes, or null if the client has proven itself. At most four
     * are sent.
     */
    byte @Nullable [] challenge();

    /**
     * Takes the answer to the last challenge.
     *
     * @return completes when it was found right: before this returns, or later on any thread. Fails
     *     with a SluiceException otherwise
     * @throws io.sluice.common.error.SluiceException AUTHENTICATION_FAILED if it is wrong
     */
    CompletionStage<Void> answer(byte[] response);

    /** Who has proven himself, once there are no more challenges. */
    Principal principal();

    /** What the server proves itself by in WELCOME, at most 256 bytes; may be empty. */
    byte[] proof();

    /** The handshake is over, one way or the other. Harmless when repeated. */
    void close();
  }

  /** Scheme 0: everyone is believed. */
  static ServerAuthenticator none() {
    return NoAuthentication.INSTANCE;
  }
}
