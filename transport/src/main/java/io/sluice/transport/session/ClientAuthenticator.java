package io.sluice.transport.session;

/** How a client proves who it is. Thread-safe; nothing here blocks. */
public interface ClientAuthenticator {
  /** Number of the scheme spoken; 0 is none. */
  int scheme();

  /** Whom the client claims to be, at most 256 bytes. */
  byte[] principal();

  /**
   * Answers a server's challenge, in 1 to 1024 bytes.
   *
   * @throws io.sluice.common.error.SluiceException AUTHENTICATION_FAILED if it cannot
   */
  byte[] respond(byte[] challenge);

  /** Scheme 0: claims nothing. */
  static ClientAuthenticator none() {
    return NoAuthentication.INSTANCE;
  }
}
