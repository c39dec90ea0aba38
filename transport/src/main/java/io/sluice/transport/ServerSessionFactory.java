package io.sluice.transport;

/** Makes the server's session for a connection whose handshake has succeeded. */
public interface ServerSessionFactory {
  /**
   * Called on the connection's event loop after authentication.
   *
   * @param peer what the handshake established about the peer
   * @return the session, and in it the seed credit that the handshake's answer carries
   * @throws io.sluice.common.error.SluiceException to refuse the connection
   */
  Accepted accept(PeerInfo peer, ServerLink link);

  /** An accepted session. */
  final class Accepted {
    private final ServerSession session;
    private final long seedCredit;

    public Accepted(ServerSession session, long seedCredit) {
      this.session = session;
      this.seedCredit = seedCredit;
    }

    public ServerSession session() {
      return session;
    }

    /** Bytes the peer may have in flight from the start. */
    public long seedCredit() {
      return seedCredit;
    }
  }
}
