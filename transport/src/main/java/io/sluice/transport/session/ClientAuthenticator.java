package io.sluice.transport.session;

import io.sluice.transport.frame.Hello;

/** How a client proves who it is. Thread-safe; nothing here blocks. */
public interface ClientAuthenticator {
  /** Number of the scheme spoken; 0 is none. */
  int scheme();

  /** Begins with one connection. */
  Exchange begin();

  /** One connection's proof. Confined to its event loop. */
  interface Exchange {
    /** Whom the client claims to be, at most 256 bytes. */
    byte[] principal();

    /**
     * Answers a server's challenge, in 1 to 1024 bytes.
     *
     * @param said what this client has begun with
     * @param binding tells the encrypted channel from any other; empty without encryption
     * @throws io.sluice.common.error.SluiceException AUTHENTICATION_FAILED if it cannot
     */
    byte[] respond(Hello said, byte[] challenge, byte[] binding);

    /**
     * Takes what the server proves itself by; called once, when it has welcomed the client.
     *
     * @param serverProof empty if the server has sent none
     * @throws io.sluice.common.error.SluiceException AUTHENTICATION_FAILED if that does not do
     */
    void confirm(byte[] serverProof);
  }

  /** Scheme 0: claims nothing and believes everyone. */
  static ClientAuthenticator none() {
    return NoAuthentication.INSTANCE;
  }
}
